import type { INodeParameters } from 'n8n-workflow';
import { bytesOf } from '../../../demo/engine';
import { rawJson, rawResponse } from '../../engine/rawServer';
import { credentialOf, type NodeRun } from '../../engine/runNode';
import { useRawServer } from '../../engine/useServers';
import { runNode, storedCharacters, waitingNode } from './waitingNode';

// The response to a submission has the finished video itself, and nobody else has it.

const service = useRawServer();

const VIDEO = Buffer.concat([
	Buffer.from('\0\0\0\x18ftypisom'),
	Buffer.alloc(3 * 1024 * 1024, 'a video'),
]);
const NOT_FOUND = rawResponse('404 Not Found', '{"detail":"Video not found"}');
const inline = (id = 'gen-1') =>
	rawJson({ id, created: 1, model: 'm', data: [{ b64_json: VIDEO.toString('base64') }] });

/** Runs the node against a service that has these responses: the submission's, and the polls'. */
async function run(
	parameters: NodeRun['parameters'],
	{
		submitted = inline,
		polled = NOT_FOUND,
		...rest
	}: Omit<Parameters<typeof waitingNode>[0] & object, 'parameters' | 'waitOptions'> & {
		submitted?: (id: string) => ReturnType<typeof rawJson>;
		polled?: typeof NOT_FOUND;
	} = {},
) {
	let orders = 0;
	service.respond = (request) =>
		request.startsWith('POST') ? submitted(`gen-${(orders += 1)}`) : polled;
	const node = waitingNode({ parameters, waitOptions: { waitIn: 'memory' }, ...rest });
	return await runNode({
		onError: 'continueRegularOutput',
		...node,
		credential: credentialOf(service),
	});
}

const DOWNLOADED = { download: true, binaryProperty: 'clip', fileName: 'boat' };

test.each<[string, INodeParameters, string, string]>([
	['Submit', { operation: 'submit' }, 'data', 'gen-1.mp4'],
	['Generate without Download', {}, 'data', 'gen-1.mp4'],
	['Generate with Download', DOWNLOADED, 'clip', 'boat.mp4'],
])('%s hands it on as a file', async (_which, parameters, field, fileName) => {
	const { items, hints } = await run(parameters);
	expect(items).toMatchObject([{ json: { status: 'completed', url: null, task_id: 'gen-1' } }]);
	expect(items[0]?.binary?.[field]).toMatchObject({ fileName, mimeType: 'video/mp4' });
	expect((await bytesOf(items[0]!, field)).equals(VIDEO)).toBe(true);
	expect(hints.join()).not.toMatch(/not downloaded/);
});

test('with Simplify off, the item has neither its bytes nor what took their place', async () => {
	for (const operation of ['submit', 'generate']) {
		const { items } = await run({ operation, simplify: false });
		expect(JSON.stringify(items[0]?.json)).not.toMatch(/inline|b64_json|invalid/);
		expect(items[0]?.json).toMatchObject({ status: 'completed', data: [{}] });
	}
});

test('the poll that follows tells of the video, and no other is downloaded', async () => {
	const metadata = { duration: 5, fps: 24 };
	const polled = rawJson({
		id: 'gen-1',
		status: 'completed',
		url: `${service.url}/clip`,
		metadata,
	});
	const { items } = await run(DOWNLOADED, { polled });
	expect(items).toMatchObject([{ json: { duration: 5, url: `${service.url}/clip` } }]);
	expect((await bytesOf(items[0]!, 'clip')).equals(VIDEO)).toBe(true);
	expect(service.requests.map((request) => request.split(' ')[0])).toEqual(['POST', 'GET']);
});

test('a wait in the database stores none of its bytes, whatever the polls say', async () => {
	const processing = rawJson({ status: 'processing' });
	const stored: number[] = [];
	const { items, waits } = await run(
		{ waitOptions: { waitIn: 'database', maxWait: 200 } },
		{
			prompts: ['A boat', 'A lake'],
			polled: processing,
			submitted: (id) => (id === 'gen-1' ? inline(id) : rawJson({ data: [{ id }] })),
			onWait: (data) => void stored.push(storedCharacters(data)),
		},
	);
	expect(waits.length).toBeGreaterThan(0);
	expect(Math.max(...stored)).toBeLessThan(20_000);
	expect(items.map(({ json }) => json.status)).toEqual(['completed', undefined]);
	expect((await bytesOf(items[0]!)).equals(VIDEO)).toBe(true);
});

test('it is still there in a second try', async () => {
	let orders = 0;
	const { items } = await run(
		{},
		{
			prompts: ['A boat', 'A lake'],
			onError: 'stopWorkflow',
			tries: 2,
			submitted: (id) => {
				orders += 1;
				return orders === 2 ? rawResponse('400 Bad Request', '{"message":"No"}') : inline(id);
			},
		},
	);
	expect(items).toHaveLength(2);
	for (const item of items) expect((await bytesOf(item)).equals(VIDEO)).toBe(true);
	expect(orders).toBe(3);
});

test.each(['submit', 'generate'])(
	'%s: what is no video is an error that names the task, and was paid for',
	async (operation) => {
		const page = Buffer.from('<html><body>Not today</body></html>').toString('base64');
		const submitted = () => rawJson({ id: 'gen-1', data: [{ b64_json: page }] });
		const { items } = await run({ operation }, { submitted });
		expect(items).toMatchObject([
			{ json: { error: { code: 'download_refused', task_id: 'gen-1' } } },
		]);
	},
);

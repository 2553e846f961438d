import type { VideoTask } from '../../../gateway';
import { videoFile } from '../../../nodes/VideoGeneration/tasks/download';
import { useSimulator } from '../../engine/useServers';
import { runNode } from '../../engine/runNode';
import { videoNode } from './videoNode';

const simulator = useSimulator({ videoSeconds: 0 });

/** The file names of a run, one for each output item. */
async function namesOf(fileName: unknown, parameters = {}): Promise<unknown[]> {
	const { items, error } = await runNode(simulator, {
		...videoNode({ download: true, fileName: '={{ $json.name }}', ...parameters }),
		items: [{ name: fileName as string }],
	});
	expect(error).toBeUndefined();
	return items.map(({ binary }) => binary?.data?.fileName);
}

const LONG = 'é'.repeat(300);

test.each([
	['a name', 'Paper boat', 'Paper boat.mp4'],
	['a name with the extension', ' Paper boat.MP4 ', 'Paper boat.mp4'],
	['a name with another extension', 'boat.v2', 'boat.v2.mp4'],
	['a number', 7, '7.mp4'],
	['a path', '../../etc/passwd', '_.._etc_passwd.mp4'],
	['a Windows path', 'C:\\films\\boat', 'C_films_boat.mp4'],
	[
		'characters that file systems refuse',
		'Why? "Because" <it>|\u0000is*',
		'Why_ _Because_ _it_is_.mp4',
	],
	['several lines', '  A boat\n\tat dusk. ', 'A boat at dusk.mp4'],
	['characters of several scripts', 'Ein Boot, 小船 🚣', 'Ein Boot, 小船 🚣.mp4'],
	['a long prompt', LONG, `${LONG.slice(0, 95)}.mp4`],
	['a device of Windows', 'CON', 'CON_.mp4'],
	['a device of Windows with an extension', 'nul.tar.gz', 'nul_.tar.gz.mp4'],
	['a number of such a device', 'com1', 'com1_.mp4'],
	['a word that begins like one', 'Console', 'Console.mp4'],
	['an executable shown backwards', 'boat_\u202egpj', 'boat__gpj.mp4'],
])('File Name: %s becomes a safe name with an extension', async (_, name, expected) => {
	expect(await namesOf(name)).toEqual([expected]);
});

test.each(['', ' .. ', null])(
	'without a File Name (%j), the file is named after its task',
	async (name) => {
		const names = await namesOf(name);
		expect(names).toEqual([`${simulator.tasks[0]?.id}.mp4`]);
	},
);

test('several videos of one item get different file names', async () => {
	const names = await namesOf('boat.mp4', { options: { n: 3 } });
	expect(names).toEqual(['boat.mp4', 'boat-2.mp4', 'boat-3.mp4']);
});

test('the videos of a second try are numbered from 1, as if those that failed had never been', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'task-failed-string', times: 1 });
	const { items } = await runNode(simulator, {
		...videoNode({ download: true, fileName: 'boat', options: { n: 2 } }),
		tries: 2,
	});
	expect(items.map(({ binary }) => binary?.data?.fileName)).toEqual(['boat.mp4', 'boat-2.mp4']);
});

test('a File Name that is not text is refused before any submission', async () => {
	const { error } = await runNode(simulator, {
		...videoNode({ download: true, fileName: '={{ [1] }}' }),
	});
	expect(error?.message).toMatch(/^File Name must be a text/);
	expect(simulator.submissions).toBe(0);
});

test.each(['""', '" "', '7', '[1]'])(
	'%s is no name of a field for the file, and refused before any submission',
	async (value) => {
		const binaryProperty = `={{ ${value} }}`;
		const { error } = await runNode(simulator, videoNode({ download: true, binaryProperty }));
		expect(error?.message).toMatch(/^Put Output File in Field must be the name of a field/);
		expect(simulator.submissions).toBe(0);
	},
);

test.each([
	['=  clip ', 'clip'],
	['={{ null }}', 'data'],
])(
	'with Put Output File in Field set to "%s", the file is in the field %s',
	async (given, field) => {
		const node = videoNode({ download: true, binaryProperty: given });
		const { items } = await runNode(simulator, node);
		expect(Object.keys(items[0]?.binary ?? {})).toEqual([field]);
	},
);

const taskOf = (format?: string, id = 'task-1'): VideoTask => ({
	id,
	status: 'completed',
	metadata: { format },
});

test.each([
	['clip.mp4', 'mov', 'clip.mov'],
	['clip.MOV', 'webm', 'clip.webm'],
	['clip.v2', 'webm', 'clip.v2.webm'],
])('a file called %s that is %s is stored as %s', (wanted, extension, name) => {
	expect(videoFile(taskOf('mp4'), wanted, 1, extension).name).toBe(name);
});

test.each(['mp4', 'webm', 'mkv', 'MOV', '.mov', 'video/webm'])(
	'the extension of a container that is known is kept: %s',
	(format) => {
		const [extension] = /\w+$/.exec(format.toLowerCase())!;
		expect(videoFile(taskOf(format)).name).toBe(`task-1.${extension}`);
	},
);

test.each(['exe', 'php', 'html', 'svg', 'constructor', 'x'.repeat(1_000)])(
	'the service does not choose another extension: %s',
	(format) => {
		expect(videoFile(taskOf(format))).toEqual({ name: 'task-1.mp4', type: 'video/mp4' });
		expect(videoFile(taskOf(format), 'boat')).toMatchObject({ name: 'boat.mp4' });
	},
);

test.each([
	['a file name', 'task-1', LONG, 1],
	['a file name with a number', 'task-1', LONG, 4],
	['a task ID', 'i'.repeat(300), '', 1],
])('the whole name is at most 200 bytes long: %s', (_of, id, wanted, number) => {
	const { name } = videoFile(taskOf('webm', id), wanted, number);
	expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
	expect(name).toMatch(number === 1 ? /[^-]\.webm$/ : /-4\.webm$/);
});

test.each([
	['..', 'video.mp4'],
	['../a b', '_a b.mp4'],
	['aux', 'aux_.mp4'],
])('a file named after the task %s is %s', (id, name) => {
	expect(videoFile(taskOf('mp4', id)).name).toBe(name);
});

describe('a file name that several videos of a run have', () => {
	const node = videoNode({ download: true, fileName: 'clip' });
	const items = [{ prompt: 'One' }, { prompt: 'Two' }];
	const advice = (hints: string[]) => hints.filter((hint) => hint.includes('file name'));

	test('is not told of a second try', async () => {
		simulator.inject({ endpoint: 'submit', fault: 'quota-not-enough', matching: 'Two', times: 1 });
		const onError = 'continueRegularOutput' as const;
		const named = videoNode({ download: true, fileName: '={{ $json.prompt }}' });
		const [one, two] = items;
		const { hints } = await runNode(simulator, {
			...named,
			items: [two!, one!],
			tries: 2,
			onError,
		});
		expect(advice(hints)).toEqual([]);
	});

	test('is named in a hint that advises $itemIndex', async () => {
		const { hints } = await runNode(simulator, { ...node, items });
		expect(advice(hints)).toEqual([expect.stringContaining('Add {{ $itemIndex }} to File Name')]);
	});
});

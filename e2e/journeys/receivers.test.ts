import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { execute } from '../browser/execution';
import { type ServerJourney, serverJourney } from '../browser/journey';
import { manualStart, type NodeGiven, ours, workflowOf } from '../browser/workflow';
import { startPostgres } from '../queue/host/postgres';
import { startFtp } from '../receivers/ftp';
import { Mailbox } from '../receivers/mailbox';
import type { Receiver } from '../receivers/receiver';
import { startS3 } from '../receivers/s3';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'received-'))));
afterEach(async () => await rm(folder, { recursive: true }));

const FILE = 'Boats_ adrift.mp4';
const model = { model: { __rl: true, mode: 'id', value: 'kite-motion' } };
const video = ours('Video', 'videoGeneration', {
	...model,
	prompt: 'A paper boat on a lake',
	size: '480p',
	duration: 2,
	download: true,
	fileName: 'Boats: adrift',
	waitOptions: { pollInterval: 1 },
});
const QUICK = { videoSeconds: 0.3 };

/** The bytes of the only video as the service has them. */
async function original({ simulator }: ServerJourney): Promise<Buffer> {
	const response = await fetch(`${simulator.url}/files/${simulator.tasks[0]?.id}.mp4`);
	return Buffer.from(await response.arrayBuffer());
}

/** Executes nodes one after the other, the last ones with this credential. */
async function run(
	{ api, credential }: ServerJourney,
	nodes: NodeGiven[],
	{ type, data }: { type: string; data: object },
) {
	const theirs = await api.saveCredential(`A ${type} of ${credential.name}`, type, data);
	const workflow = workflowOf(`To ${type} ${randomUUID()}`, credential, [manualStart, ...nodes]);
	const withCredential = workflow.nodes.map((node) =>
		'credentials' in node || node.name === 'Start'
			? node
			: { ...node, credentials: { [type]: theirs } },
	);
	const result = await execute(api, { ...workflow, nodes: withCredential });
	expect(result.error).toBeUndefined();
	expect(result.status).toBe('success');
	return result;
}

const base = (name: string, type: string, typeVersion: number, parameters: object): NodeGiven => ({
	name,
	type: `n8n-nodes-base.${type}`,
	typeVersion,
	parameters,
});

async function stored(given: ServerJourney, receiver: Receiver, upload: NodeGiven) {
	try {
		await run(given, [video, upload], receiver.credential);
		expect(await receiver.read(FILE)).toEqual(await original(given));
	} finally {
		await receiver.close();
	}
}

serverJourney(
	'a video arrives in S3 byte for byte, under its name',
	async (given) => {
		const upload = base('Upload', 's3', 1, {
			operation: 'upload',
			bucketName: 'clips',
			fileName: '={{ $binary.data.fileName }}',
			binaryPropertyName: 'data',
			additionalFields: {},
		});
		await stored(given, await startS3(folder), upload);
	},
	QUICK,
);

serverJourney(
	'a video arrives on an FTP server byte for byte, under its name',
	async (given) => {
		const upload = base('Upload', 'ftp', 1, {
			operation: 'upload',
			path: '=/{{ $binary.data.fileName }}',
			binaryPropertyName: 'data',
		});
		await stored(given, await startFtp(folder), upload);
	},
	QUICK,
);

serverJourney(
	'a video is attached to an e-mail with its name and type, byte for byte',
	async (given) => {
		const mailbox = await Mailbox.open();
		const send = base('Send', 'emailSend', 2.1, {
			fromEmail: 'videos@example.com',
			toEmail: 'you@example.com',
			subject: 'A video',
			emailFormat: 'text',
			text: '={{ $json.url }}',
			options: { attachments: 'data' },
		});
		try {
			await run(given, [video, send], mailbox.credential);
			const { attachments, text } = await mailbox.mail('A video');
			expect(text).toContain(`${given.simulator.tasks[0]?.id}.mp4`);
			expect(attachments).toMatchObject([{ filename: FILE, contentType: 'video/mp4' }]);
			expect(attachments[0]?.content).toEqual(await original(given));
		} finally {
			await mailbox.close();
		}
	},
	QUICK,
);

serverJourney(
	'a video becomes a row of Postgres, its date in a column of dates',
	async (given) => {
		const postgres = await startPostgres(folder);
		const query = (name: string, sql: string) =>
			base(name, 'postgres', 2.6, { operation: 'executeQuery', query: sql, options: {} });
		const columns = {
			task_id: '={{ $json.task_id }}',
			seconds: '={{ $json.duration }}',
			created: "={{ $json.created_at.toDateTime('s') }}",
		};
		const insert = base('Insert', 'postgres', 2.6, {
			operation: 'insert',
			schema: { __rl: true, mode: 'list', value: 'public' },
			table: { __rl: true, mode: 'list', value: 'videos' },
			columns: {
				mappingMode: 'defineBelow',
				value: columns,
				schema: [
					['task_id', 'string'],
					['seconds', 'number'],
					['created', 'dateTime'],
				].map(([id, type]) => ({ id, displayName: id, required: false, display: true, type })),
			},
			options: {},
		});
		const credential = {
			type: 'postgres',
			data: {
				host: '127.0.0.1',
				port: postgres.port,
				database: 'postgres',
				user: 'n8n',
				password: '',
				ssl: 'disable',
			},
		};
		const created = 'CREATE TABLE videos (task_id text, seconds int, created timestamptz)';
		const select = 'SELECT *, extract(epoch from created)::int AS epoch FROM videos';
		try {
			const { itemsOf } = await run(
				given,
				[query('Create', created), video, insert, query('Select', select)],
				credential,
			);
			const [task] = given.simulator.tasks;
			expect(itemsOf('Select').map(({ json }) => json)).toMatchObject([
				{ task_id: task?.id, seconds: 2, epoch: Math.floor((task?.createdAt ?? 0) / 1000) },
			]);
		} finally {
			await postgres.stop();
		}
	},
	QUICK,
);

const binaries = z.object({
	binary: z.object({
		data: z.object({
			id: z.string().optional(),
			data: z.string(),
			mimeType: z.string(),
		}),
	}),
});

serverJourney(
	'a video goes through a multipart upload and comes back from Respond to Webhook byte for byte',
	async (given) => {
		const { api, credential, environment } = given;
		const path = randomUUID();
		const receive = {
			...base('Receive', 'webhook', 2.1, {
				path,
				httpMethod: 'POST',
				responseMode: 'responseNode',
				options: {},
			}),
			webhookId: path,
		};
		const respond = base('Respond', 'respondToWebhook', 1.5, {
			respondWith: 'binary',
			responseDataSource: 'set',
			inputFieldName: 'clip',
			options: {},
		});
		const echo = await api.publishWorkflow(
			workflowOf(`Echo ${path}`, credential, [receive, respond]),
		);
		const upload = base('Upload', 'httpRequest', 4.3, {
			method: 'POST',
			url: `${environment.url}/webhook/${path}`,
			sendBody: true,
			contentType: 'multipart-form-data',
			bodyParameters: {
				parameters: [{ parameterType: 'formBinaryData', name: 'clip', inputDataFieldName: 'data' }],
			},
			options: { response: { response: { responseFormat: 'file' } } },
		});
		const workflow = workflowOf(`Upload ${path}`, credential, [manualStart, video, upload]);
		const { error, itemsOf } = await execute(api, workflow);
		await api.unpublish(echo);
		expect(error).toBeUndefined();
		const { data } = binaries.parse(itemsOf('Upload')[0]).binary;
		expect(data.mimeType).toBe('video/mp4');
		const returned =
			data.id === undefined
				? Buffer.from(data.data, 'base64')
				: Buffer.from(await (await api.download(data.id)).arrayBuffer());
		expect(returned).toEqual(await original(given));
	},
	QUICK,
);

serverJourney(
	'a webhook responds with a video, with its type',
	async (given) => {
		const { api, credential, environment } = given;
		const path = randomUUID();
		const receive = {
			...base('Receive', 'webhook', 2.1, { path, responseMode: 'responseNode', options: {} }),
			webhookId: path,
		};
		const respond = base('Respond', 'respondToWebhook', 1.5, {
			respondWith: 'binary',
			options: {},
		});
		const id = await api.publishWorkflow(
			workflowOf(`Video ${path}`, credential, [receive, video, respond]),
		);
		const response = await fetch(`${environment.url}/webhook/${path}`);
		await api.unpublish(id);
		expect(response.headers.get('content-type')).toBe('video/mp4');
		expect(Buffer.from(await response.arrayBuffer())).toEqual(await original(given));
	},
	QUICK,
);

import {
	chatRequest,
	Gateway,
	InvalidInputError,
	parseCredential,
	type VideoFields,
	videoRequest,
} from '../../gateway';
import { startSimulator } from '../../simulator';
import { useSimulator } from '../engine/useServers';

const simulator = useSimulator({ videoSeconds: 0 });

const messages = [{ role: 'user', content: 'Hello' }];
const chat = (fields: object) => chatRequest({ model: 'heron-chat', messages, ...fields });
const video = (fields: object) =>
	videoRequest({ model: 'kite-motion', prompt: 'A boat', ...fields });

const gateway = (credential: object = {}) =>
	new Gateway(parseCredential({ baseUrl: simulator.url, apiKey: simulator.key, ...credential }), {
		maxConcurrency: 10,
		maxRetries: 0,
		timeoutMs: 20_000,
	});

describe('Limits: values in range are accepted, others are refused before any request', () => {
	/** Good and bad values of each field that the options set. */
	type Limits<Fields> = Record<keyof Fields, [good: unknown[], bad: unknown[]]>;

	const videoLimits: Limits<VideoFields> = {
		duration: [
			[2, 10, 2.5],
			[1.9, 10.1, 'long'],
		],
		n: [
			[1, 4],
			[0, 5, 1.5],
		],
		size: [
			['480p', '720p', '1080p'],
			['4k', 720],
		],
		fps: [
			[24, 30, 60],
			[25, 'fast'],
		],
		response_format: [['url', 'b64_json'], ['file']],
		prompt: [['A boat'], ['', '  ', 5]],
		model: [['kite-motion'], ['', 5]],
		user: [['someone'], [' ', 5]],
	};

	test.each(Object.entries(videoLimits))('video %s', (field, [good, bad]) => {
		for (const value of good) expect(video({ [field]: value })).toHaveProperty(field);
		for (const value of bad) expect(() => video({ [field]: value })).toThrow(InvalidInputError);
	});
});

test('Authentication 1 and 2: every request has Bearer, one space and the key, however it was pasted', async () => {
	const pasted = gateway({ apiKey: `  Bearer   ${simulator.key} \n` });
	await pasted.listModels();
	await pasted.chat(chat({}));
	const submission = await pasted.submitVideo(video({}));
	await pasted.getVideoTask(submission.data[0]!.id);
	expect(simulator.requests).toHaveLength(4);
	for (const { headers } of simulator.requests) {
		expect(headers.authorization).toBe(`Bearer ${simulator.key}`);
	}
});

test.each(['', ' ', 'Bearer', 'two words', 'line\nbreak', 'schlüssel'])(
	'Authentication 2: the key %j is refused before any request and is not in the error',
	(apiKey) => {
		const attempt = () => parseCredential({ baseUrl: simulator.url, apiKey });
		expect(attempt).toThrow(InvalidInputError);
		const repeated = apiKey.trim() !== '' && apiKey !== 'Bearer';
		if (repeated) expect(attempt).not.toThrow(apiKey);
	},
);

test.each(['', 'gateway.example.com', 'ftp://x', 'http://u:p@x', 'http://x?y', 'http://x#y', 5])(
	'the base URL %j is refused before any request',
	(baseUrl) => {
		expect(() => parseCredential({ baseUrl, apiKey: 'key' })).toThrow(InvalidInputError);
	},
);

test('Endpoints: request bodies are sent as application/json, to the path prefix of the base URL', async () => {
	const prefixed = await startSimulator({ pathPrefix: '/gateway' });
	const client = gateway({ baseUrl: `${prefixed.url}//`, apiKey: prefixed.key });
	await client.chat(chat({}));
	expect(prefixed.requests[0]?.path).toBe('/gateway/v1/chat/completions');
	expect(prefixed.requests[0]?.headers['content-type']).toBe('application/json');
	await prefixed.close();
});

test.each(['/media/v1', '/v1'])(
	'Endpoints: videos are submitted and polled under %s',
	async (videoBasePath) => {
		const client = gateway({ videoBasePath });
		const { data } = await client.submitVideo(video({ n: 2 }));
		expect(data).toHaveLength(2);
		const task = await client.getVideoTask(data[0]!.id);
		expect(task).toMatchObject({ id: data[0]!.id, status: 'completed', progress: 100 });
		expect(simulator.requests.map(({ path }) => path)).toEqual([
			`${videoBasePath}/video/generations`,
			`${videoBasePath}/video/generations/${data[0]!.id}`,
		]);
	},
);

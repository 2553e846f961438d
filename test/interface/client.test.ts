import {
	Gateway,
	InvalidInputError,
	parseCredential,
	type VideoFields,
	videoRequest,
} from '../../gateway';
import { useSimulator } from '../engine/useServers';

const simulator = useSimulator({ videoSeconds: 0 });

const video = (fields: object) =>
	videoRequest({ model: 'kite-motion', prompt: 'A boat', ...fields });

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

test.each(['/media/v1', '/v1'])(
	'Endpoints: videos are submitted and polled under %s',
	async (videoBasePath) => {
		const fields = { baseUrl: simulator.url, apiKey: simulator.key, videoBasePath };
		const options = { maxConcurrency: 1, maxRetries: 0, timeoutMs: 20_000 };
		const client = new Gateway(parseCredential(fields), options);
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

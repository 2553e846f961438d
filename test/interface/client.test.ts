import {
	chatRequest,
	GatewayError,
	parseCredential,
	type VideoFields,
	videoRequest,
} from '../../gateway';
import { requestFields } from '../../nodes/shared/form/chatOptions';

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
		model: [
			['kite-motion', 'm'.repeat(512)],
			['', 5, 'm'.repeat(513)],
		],
		user: [['someone'], [' ', 5]],
	};

	test.each(Object.entries(videoLimits))('video %s', (field, [good, bad]) => {
		for (const value of good) expect(video({ [field]: value })).toHaveProperty(field);
		for (const value of bad) expect(() => video({ [field]: value })).toThrow(GatewayError);
	});

	const chat = { model: 'heron-chat', messages: [{ role: 'user', content: 'Hello' }] };
	const film = { model: 'kite-motion', prompt: 'A boat' };
	const optional = Object.keys(videoLimits).filter((field) => !(field in film));

	// A workflow had it before the node had the option. Not accepted: `.nullish()` is missing in the schema of the request.
	test.each([
		...Object.keys(requestFields({})).map((field) => [field, chatRequest, chat] as const),
		...optional.map((field) => [field, videoRequest, film] as const),
	])('%s that is null in Additional Body is sent as it is', (field, request, fields) => {
		expect(request(fields, { [field]: null })).toEqual({ ...fields, [field]: null });
	});
});

test.each(['', ' ', 'Bearer', 'two words', 'line\nbreak', 'schlüssel'])(
	'Authentication 2: the key %j is refused before any request and is not in the error',
	(apiKey) => {
		const attempt = () => parseCredential({ baseUrl: 'http://service.test', apiKey });
		expect(attempt).toThrow(GatewayError);
		const repeated = apiKey.trim() !== '' && apiKey !== 'Bearer';
		if (repeated) expect(attempt).not.toThrow(apiKey);
	},
);

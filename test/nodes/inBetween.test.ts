import type { Simulator } from '../../simulator';
import { fastTime } from '../engine/fastTime';
import { RawServer, rawResponse } from '../engine/rawServer';
import { type NodeRun, runNode } from '../engine/runNode';
import { chatNode } from './chatNode';
import { videoNode } from './videoNode';

const service = new RawServer();
let restore: () => void;
beforeAll(async () => await service.listen());
beforeEach(() => {
	service.reset();
	restore = fastTime();
});
afterEach(() => restore());
afterAll(async () => await service.close());

const requestOptions = { maxRetries: 3 };
const submission = videoNode({ operation: 'submit', requestOptions });
const run = async (options: NodeRun, status: string, body: string, type = 'application/json') => {
	service.respond = () => rawResponse(status, body, { 'content-type': type });
	return await runNode({} as Simulator, {
		...options,
		credential: { baseUrl: service.url, apiKey: 'key-of-tests' },
	});
};

const PAGE = '<html><body><h1>Proxy Error</h1></body></html>';
const FOREIGN: Array<[string, string]> = [
	['a page', PAGE],
	['nothing', ''],
	['plain text', 'upstream connect error'],
	['JSON that is cut off', '{"code":"internal_error","message":"It'],
	['a message alone', '{"message":"Internal server error"}'],
	['a message and data', '{"message":"Internal server error","data":null}'],
	['a code that is a number', '{"code":14,"message":"upstream connect error","data":null}'],
	['a null code without data', '{"code":null,"message":"Bad gateway"}'],
	['an error that is a string', '{"error":"Bad Gateway","statusCode":502}'],
	['an error whose code is a number', '{"error":{"message":"Bad Gateway","code":502}}'],
	['an error without a message', '{"error":{"code":"bad_gateway"}}'],
	['null', 'null'],
];
const OWN: Array<[string, string]> = [
	['a code', '{"code":"internal_error","message":"It failed."}'],
	['a null code beside data', '{"code":null,"message":"It failed.","data":null}'],
	['an error with a code', '{"error":{"message":"It failed.","type":"x","code":"oops"}}'],
	['an error with a message alone', '{"error":{"message":"It failed."}}'],
];

describe.each(['500 Internal Server Error', '502 Bad Gateway'])('%s', (status) => {
	test.each(FOREIGN)(
		'with %s may hide a paid video: it is not submitted again',
		async (_what, body) => {
			const { items } = await run(
				{ ...submission, onError: 'continueRegularOutput' },
				status,
				body,
			);
			expect(service.requests).toHaveLength(1);
			expect(items[0]?.json.error).toMatchObject({
				may_have_been_accepted: true,
				http_status: Number(status.slice(0, 3)),
				message: expect.stringMatching(/^A server between n8n and the service responded/) as string,
				description: expect.stringMatching(
					/may not wait long enough.*may have accepted.*Check your account/s,
				) as string,
			});
		},
	);

	test.each(OWN)(
		"with %s is the service's own refusal, and the video is submitted again",
		async (_what, body) => {
			const { error } = await run(submission, status, body);
			expect(service.requests).toHaveLength(4);
			expect(error?.description).toMatch(/The service says: It failed\./);
			expect(error?.description).not.toMatch(/may have accepted/);
		},
	);

	test('with a page may hide a paid video: Retry On Fail submits nothing', async () => {
		const { items } = await run(
			{ ...submission, onError: 'continueRegularOutput', tries: 3 },
			status,
			PAGE,
		);
		expect(service.requests).toHaveLength(1);
		expect(items[0]?.json.error).toMatchObject({ may_have_been_accepted: true });
	});

	test('with a page: a chat is asked once within a try, and again only by Retry On Fail', async () => {
		const { error } = await run({ ...chatNode({ requestOptions }), tries: 2 }, status, PAGE);
		expect(service.requests).toHaveLength(2);
		expect(error?.description).toMatch(/may have accepted/);
	});

	test('with a page is asked again where nothing is paid for', async () => {
		const models: NodeRun = { node: 'listModels', parameters: { requestOptions } };
		const { error } = await run(models, status, PAGE);
		expect(service.requests).toHaveLength(4);
		expect(error?.description).not.toMatch(/may have accepted/);
	});
});

test.each(['429 Too Many Requests', '503 Service Unavailable'])(
	'%s at once is a refusal in any words',
	async (status) => {
		const { error } = await run(submission, status, PAGE);
		expect(service.requests).toHaveLength(4);
		expect(error?.description).not.toMatch(/may have accepted/);
	},
);

describe('503 more than ten seconds after the request', () => {
	const late = { delayMs: 20, packets: [] };

	test.each([
		['with a page may hide a paid video', PAGE, {}, 1],
		['with the words of the service is a refusal', OWN[0]![1], {}, 4],
		['with a page and Retry-After is a refusal', PAGE, { 'retry-after': '1' }, 4],
	])('%s', async (_what, body, headers, requests) => {
		service.respond = () => ({ ...late, ...rawResponse('503 Service Unavailable', body, headers) });
		const { error } = await runNode({} as Simulator, {
			...submission,
			credential: { baseUrl: service.url, apiKey: 'key-of-tests' },
		});
		expect(service.requests).toHaveLength(requests);
		expect(/may have accepted/.test(error?.description ?? '')).toBe(requests === 1);
	});
});

describe.each(['400 Bad Request', '401 Unauthorized', '403 Forbidden'])('%s', (status) => {
	test.each(FOREIGN.filter(([, body]) => body !== ''))(
		'with %s is no verdict of the service on a parameter, a key or an account',
		async (_what, body) => {
			const { error } = await run(submission, status, body);
			expect(error?.message).toMatch(
				`A server between n8n and the service responded with status ${status.slice(0, 3)}`,
			);
			expect(error?.description).toMatch(/proxy, firewall or login page/);
			expect(error?.description).not.toMatch(/The service says|may have accepted/);
			expect(service.requests).toHaveLength(1);
		},
	);
});

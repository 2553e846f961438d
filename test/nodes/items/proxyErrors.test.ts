import { useRawServer } from '../../engine/useServers';
import { rawResponse } from '../../engine/rawServer';
import { RequestClock } from '../../clock/requestClock';
import { type NodeRun, runNode } from '../../engine/runNode';
import { videoNode } from '../video/videoNode';

const service = useRawServer();
const time = new RequestClock();
afterAll(() => time.restore());

const requestOptions = { maxRetries: 3 };
const submission = videoNode({ operation: 'submit', requestOptions });
const run = async (options: NodeRun, status: string, body: string) => {
	service.respond = () => rawResponse(status, body, { 'content-type': 'application/json' });
	return await time.until(runNode(service, options));
};

const PAGE = '<html><body><h1>Proxy Error</h1></body></html>';
const PROXY_ERRORS: Array<[string, string]> = [
	['an HTML page', PAGE],
	['an empty body', ''],
	['plain text', 'upstream connect error'],
	['JSON that is cut off', '{"code":"internal_error","message":"It'],
	['only a message', '{"message":"Internal server error"}'],
	['a message and data', '{"message":"Internal server error","data":null}'],
	['a code that is a number', '{"code":14,"message":"upstream connect error","data":null}'],
	['a null code without data', '{"code":null,"message":"Bad gateway"}'],
	['an error that is a string', '{"error":"Bad Gateway","statusCode":502}'],
	['an error whose code is a number', '{"error":{"message":"Bad Gateway","code":502}}'],
	['an error without a message', '{"error":{"code":"bad_gateway"}}'],
	['null', 'null'],
];
const SERVICE_ERRORS: Array<[string, string]> = [
	['a code', '{"code":"internal_error","message":"It failed."}'],
	['a null code and data', '{"code":null,"message":"It failed.","data":null}'],
	['an error with a code', '{"error":{"message":"It failed.","type":"x","code":"oops"}}'],
	['an error with only a message', '{"error":{"message":"It failed."}}'],
];

describe.each(['500 Internal Server Error', '502 Bad Gateway'])('%s', (status) => {
	test.each(PROXY_ERRORS)(
		'with %s: the video may be billed, so it is not submitted again',
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
				message: expect.stringMatching(/^A server between n8n and the service responded/),
				description: expect.stringMatching(
					/may not wait long enough.*may have accepted.*Check your account/s,
				),
			});
		},
	);

	test.each(SERVICE_ERRORS)(
		'with %s: the service refused the request, so the video is submitted again',
		async (_what, body) => {
			const { error } = await run(submission, status, body);
			expect(service.requests).toHaveLength(4);
			expect(error?.description).toMatch(/The service says: It failed\./);
			expect(error?.description).not.toMatch(/may have accepted/);
		},
	);
});

import {
	neverSent,
	NOT_CONNECTED,
	timeoutError,
	toNetworkError,
} from '../../gateway/errors/networkError';

const failure = (code: string | number) => Object.assign(new Error(`write ${code}`), { code });

// The route to the service may disappear after the request was written.
test.each(Object.keys(NOT_CONNECTED))(
	'a billable request that was sent and is lost with %s counts as sent',
	(code) => {
		for (const isBillable of [true, false])
			expect(toNetworkError(failure(code), isBillable).isNeverSent).toBe(!isBillable);
	},
);

test.each<[failed: string | number, transient: boolean, code?: string | number]>([
	['ECONNREFUSED', true],
	['EAI_AGAIN', true],
	['EHOSTUNREACH', true],
	['ENETUNREACH', true],
	['ENOTFOUND', false],
	['CERT_HAS_EXPIRED', false],
	['UND_ERR_CONNECT_TIMEOUT', true, 'connect_timeout'],
	['UND_ERR_INFO', true, 'no_connection'],
	['', true, 'no_connection'],
	[20, true, 'no_connection'],
])(
	'a request that no connection took because of "%s" is retried: %s',
	(failed, transient, code = failed) => {
		const error = neverSent(failure(failed));
		expect(error).toMatchObject({ code, transient, isNeverSent: true });
	},
);

test('a request that SSRF protection blocks is not retried', () => {
	const cause = Object.assign(new Error('No'), { name: 'SsrfError', cause: null });
	const error = neverSent(Object.assign(new Error('Failed'), { cause }));
	expect(error).toMatchObject({ code: 'address_blocked', transient: false });
});

test('an error of undici is reported as what failed below it', () => {
	const error = Object.assign(failure('UND_ERR_SOCKET'), {
		cause: failure('HPE_INVALID_CONSTANT'),
	});
	expect(toNetworkError(error, true)).toMatchObject({ code: 'not_http' });
});

test('a timeout of a request without a model says to check the network, as the Test button has no Timeout', () => {
	expect(timeoutError(20_000, false, 'response').record).toMatchObject({
		message: 'The service did not respond within 20 seconds',
		advice: expect.stringMatching(/^Check the Base URL.*network/),
	});
	expect(timeoutError(20_000, true, 'body').record).toMatchObject({
		message: 'The service stopped sending data for 20 seconds',
		advice: expect.stringMatching(/^Increase Timeout.*model/),
	});
});

// A CPU without SSE4.1 (ChainSafe/lodestar#7177, devlikeapro/waha#1961), undici's own checks, a mistake of ours.
describe.each(['CompileError', 'InvalidArgumentError', 'TypeError'])('%s', (name) => {
	const exception = Object.assign(new Error('Wasm SIMD unsupported'), { name });

	test('is a fault of the node, is not retried, and says what to report', () => {
		const error = neverSent(exception);
		expect(error.transient).toBe(false);
		expect(error.record).toMatchObject({
			code: 'node_error',
			advice: expect.stringMatching(/Report it .*https:.*issues/),
			technical: `${name}: Wasm SIMD unsupported`,
		});
		expect(error.isNeverSent).toBe(true);
	});

	test('leaves open whether a billable request was accepted, once it was sent', () => {
		expect(toNetworkError(exception, true)).toMatchObject({
			code: 'node_error',
			transient: false,
			isNeverSent: false,
		});
	});
});

import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import {
	type Credential,
	credentialTestTransport,
	Gateway,
	invalidInput,
	NoResponseError,
	parseCredential,
	ServiceError,
	withinTotalTime,
} from '../../../gateway';
import { IN_EDITOR, IN_EDITOR_MS } from '../run/connect';
import { errorSummary, recordOf } from '../run/errorText';

/** Milliseconds for each of the two requests about the video path: a slow service does not mean a wrong path. */
const VIDEO_PATH_TIMEOUT_MS = 5_000;
/** No service gives a task this id, so asking for it costs nothing. */
const TEST_TASK_ID = 'credential-test';

/**
 * The credential's Test button: it requests the models of the service, then checks the video endpoints at the
 * Video Base Path. A declarative test would show a failed connection as a bare code, accept any web page as the service,
 * and follow a redirect with the key.
 */
export async function testConnection(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await withinTotalTime(IN_EDITOR_MS, (signal) => test(this.helpers, data, signal)).then(
		() => ({ status: 'OK' as const, message: 'Connection tested successfully' }),
		(error: unknown) => ({ status: 'Error' as const, message: errorSummary(recordOf(error)) }),
	);
}

type Helpers = ICredentialTestFunctions['helpers'];

async function test(helpers: Helpers, fields: unknown, signal: AbortSignal): Promise<void> {
	const credential = parseCredential(fields);
	const { videoBasePath } = credential;
	const otherPath = videoBasePath === '/v1' ? '/media/v1' : '/v1';
	await gatewayFor(helpers, credential, IN_EDITOR.timeoutMs).listModels(signal);
	if ((await knowsTasks(helpers, credential, signal)) !== false) return;
	if ((await knowsTasks(helpers, { ...credential, videoBasePath: otherPath }, signal)) !== true)
		return;
	throw invalidInput(
		'videoBasePath',
		`The service has no video endpoints at ${videoBasePath}`,
		`Set Video Base Path to ${otherPath}: the service has them there.`,
	);
}

function gatewayFor(helpers: Helpers, credential: Credential, timeoutMs: number): Gateway {
	const transport = credentialTestTransport(helpers.request, credential.ignoreSslIssues, timeoutMs);
	return new Gateway(credential, { ...IN_EDITOR, timeoutMs, transport });
}

/**
 * "Unknown or expired id gives 404 `task_not_found`" (Endpoints): only the video endpoints say that.
 * @returns undefined where the response does not show it: after a temporary failure, and if a service has such a task
 */
async function knowsTasks(
	helpers: Helpers,
	credential: Credential,
	signal: AbortSignal,
): Promise<boolean | undefined> {
	const gateway = gatewayFor(helpers, credential, VIDEO_PATH_TIMEOUT_MS);
	return await gateway.getVideoTask(TEST_TASK_ID, signal).then(
		() => undefined,
		(error: unknown) => {
			const status = error instanceof ServiceError ? error.status : 0;
			// The time of the whole test is over.
			if (signal.aborted) return undefined;
			if (error instanceof NoResponseError || status === 429 || status >= 500) return undefined;
			return error instanceof ServiceError && error.code === 'task_not_found';
		},
	);
}

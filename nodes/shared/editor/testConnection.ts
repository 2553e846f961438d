import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import {
	type ByteStream,
	type Credential,
	Gateway,
	InvalidInputError,
	parseCredential,
	proxyFailure,
	proxyRefusal,
	ServiceError,
	StreamedBody,
	type Transport,
	type VideoBasePath,
} from '../../../gateway';
import { IN_EDITOR } from '../run/connect';
import { errorSummary } from '../run/errorText';

/** Milliseconds for each of the two requests about the video path: a slow service is no wrong path. */
const VIDEO_PATH_TIMEOUT_MS = 5_000;
/** No service gives a task this id, so asking for it costs nothing. */
const NO_TASK = 'credential-test';

const OTHER_PATH: Record<VideoBasePath, VideoBasePath> = {
	'/media/v1': '/v1',
	'/v1': '/media/v1',
};

/**
 * The credential's Test button: it requests the models of the service, then checks the video endpoints at the
 * Video Base Path. A declarative test would show a failed connection as a bare code, accept any web page as the service,
 * and follow a redirect with the key.
 */
export async function testConnection(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await test(this.helpers, data).then(
		() => ({ status: 'OK' as const, message: 'Connection tested successfully' }),
		(error: unknown) => ({ status: 'Error' as const, message: errorSummary(error) }),
	);
}

type Helpers = ICredentialTestFunctions['helpers'];

async function test(helpers: Helpers, fields: unknown): Promise<void> {
	const credential = parseCredential(fields);
	const { videoBasePath } = credential;
	const otherPath = OTHER_PATH[videoBasePath];
	await gatewayFor(helpers, credential, IN_EDITOR.timeoutMs).listModels();
	if (await knowsTasks(helpers, credential)) return;
	if (!(await knowsTasks(helpers, { ...credential, videoBasePath: otherPath }))) return;
	throw new InvalidInputError(
		'videoBasePath',
		`The service has no video endpoints at ${videoBasePath}`,
		`Set Video Base Path to ${otherPath}: the service has them there.`,
	);
}

function gatewayFor(helpers: Helpers, credential: Credential, timeoutMs: number): Gateway {
	const transport = n8nTransport(helpers, credential.ignoreSslIssues, timeoutMs);
	return new Gateway(credential, { ...IN_EDITOR, timeoutMs, transport });
}

/** "Unknown or expired id gives 404 `task_not_found`" (Endpoints): only the video endpoints say that. */
async function knowsTasks(helpers: Helpers, credential: Credential): Promise<boolean> {
	const gateway = gatewayFor(helpers, credential, VIDEO_PATH_TIMEOUT_MS);
	return await gateway.getVideoTask(NO_TASK).then(
		() => true,
		(error: unknown) => error instanceof ServiceError && error.code === 'task_not_found',
	);
}

interface HelperResponse {
	statusCode: number;
	headers: Record<string, string | string[] | undefined>;
	body: ByteStream;
	request?: unknown;
}

/** n8n's own request function: where a credential is tested, it alone knows the SSRF protection of this n8n. */
function n8nTransport(helpers: Helpers, ignoreSslIssues: boolean, timeoutMs: number): Transport {
	return async ({ method, origin, path, headers, onWritten, whenGivenUp }) => {
		onWritten();
		const response: HelperResponse = await helpers
			.request({
				method,
				uri: origin + path,
				headers,
				rejectUnauthorized: !ignoreSslIssues,
				timeout: timeoutMs,
				followRedirect: false,
				// n8n would read a body of any size.
				useStream: true,
				simple: false,
				resolveWithFullResponse: true,
			})
			.catch((error: unknown) => {
				throw isBlocked(error) ? blocked() : (proxyFailure(error, origin) ?? error);
			});
		const body = new StreamedBody(response.body);
		whenGivenUp(() => body.destroy());
		const refusal = proxyRefusal(response.statusCode, origin, response.request);
		if (refusal !== undefined) {
			body.destroy();
			throw refusal;
		}
		return { status: response.statusCode, headers: response.headers, body };
	};
}

function isBlocked(error: unknown): boolean {
	return error instanceof Error && (error.name.startsWith('Ssrf') || isBlocked(error.cause));
}

function blocked(): InvalidInputError {
	return new InvalidInputError(
		'baseUrl',
		"n8n's SSRF protection blocks the URL of the service",
		'Ask the administrator of this n8n instance to allow the URL, or correct the Base URL.',
	);
}

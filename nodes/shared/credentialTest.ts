import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import {
	BufferedBody,
	Gateway,
	InvalidInputError,
	parseCredential,
	type Transport,
} from '../../gateway';
import { WHILE_SOMEONE_LOOKS } from './connect';
import { inOneText } from './inOneText';

/**
 * What the credential's Test button does: it asks the service for its models. A declarative test would show a failed
 * connection as a bare code, take any web page for the service, and follow a redirect with the key.
 */
export async function testConnection(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await askForModels(this.helpers, data).then(
		() => ({ status: 'OK' as const, message: 'Connection tested successfully' }),
		(error: unknown) => ({ status: 'Error' as const, message: inOneText(error) }),
	);
}

type Helpers = ICredentialTestFunctions['helpers'];

async function askForModels(helpers: Helpers, fields: unknown): Promise<void> {
	const connection = parseCredential(fields);
	const gateway = new Gateway(connection, {
		...WHILE_SOMEONE_LOOKS,
		transport: n8nTransport(helpers, connection.ignoreSslIssues),
	});
	await gateway.listModels();
}

interface HelperAnswer {
	statusCode: number;
	headers: Record<string, string | string[] | undefined>;
	body: Buffer | string | undefined;
}

/** n8n's own request function: where a credential is tested, it alone knows the SSRF protection of this n8n. */
function n8nTransport(helpers: Helpers, ignoreSslIssues: boolean): Transport {
	return async ({ method, origin, path, headers }) => {
		const answer: HelperAnswer = await helpers
			.request({
				method,
				uri: origin + path,
				headers,
				rejectUnauthorized: !ignoreSslIssues,
				timeout: WHILE_SOMEONE_LOOKS.timeoutMs,
				followRedirect: false,
				encoding: null,
				simple: false,
				resolveWithFullResponse: true,
			})
			.catch((error: unknown) => {
				throw isBlocked(error) ? blocked() : error;
			});
		return {
			status: answer.statusCode,
			headers: answer.headers,
			body: new BufferedBody(Buffer.from(answer.body ?? '')),
		};
	};
}

function isBlocked(error: unknown): boolean {
	return error instanceof Error && (error.name.startsWith('Ssrf') || isBlocked(error.cause));
}

function blocked(): InvalidInputError {
	return new InvalidInputError(
		'baseUrl',
		"n8n's SSRF protection blocks the address of the service",
		'Ask the administrator of this n8n to allow the address, or correct the Base URL.',
	);
}

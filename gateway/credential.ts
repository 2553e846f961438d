import * as z from 'zod';
import { invalidInput } from './errors/gatewayError';
import { MAX_API_KEY } from './redaction';

/** Characters. */
const MAX_BASE_URL = 2_048;
const MAX_PORT = 65_535;

/** The URL of the service and the key to use. */
export interface Credential {
	/** Without a trailing slash, and without the `/v1` that the service's paths begin with. */
	baseUrl: string;
	/** The bare key: no `Bearer`, no white space. */
	apiKey: string;
	videoBasePath: '/media/v1' | '/v1';
	ignoreSslIssues: boolean;
}

/** The error of each field is its name in the form of the credential. */
const credentialFields = z.object(
	{
		baseUrl: z.string({ error: 'Base URL' }).default(''),
		apiKey: z.string({ error: 'API Key' }).default(''),
		videoBasePath: z.enum(['/media/v1', '/v1'], { error: 'Video Base Path' }).default('/media/v1'),
		ignoreSslIssues: z.boolean({ error: 'Ignore SSL Issues (Insecure)' }).default(false),
	},
	{ error: 'The credential' },
);

/**
 * Checks and cleans the fields of the credential.
 * @throws GatewayError, which never repeats the key.
 */
export function parseCredential(fields: unknown): Credential {
	const { data, error } = credentialFields.safeParse(fields);
	if (data)
		return { ...data, baseUrl: parseBaseUrl(data.baseUrl), apiKey: parseApiKey(data.apiKey) };
	const advice = 'Correct it in the Generation Service API credential.';
	throw error.issues.map(({ path: [field = 'credential'], message }) =>
		invalidInput(String(field), `${message} is not valid`, advice),
	)[0];
}

function parseBaseUrl(text: string): string {
	const trimmed = text.trim();
	if (trimmed === '')
		throw invalidUrl('The credential has no Base URL', 'Enter the URL of the service.');
	if (trimmed.length > MAX_BASE_URL)
		throw invalidUrl(
			`The Base URL of the credential is longer than ${MAX_BASE_URL} characters`,
			'Enter the URL of the service and nothing else.',
		);
	const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
	const [, port = 0] = /^https?:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(trimmed) ?? [];
	if (Number(port) > MAX_PORT)
		throw invalidUrl(
			`The Base URL of the credential has the port ${port}, and the highest is ${MAX_PORT}`,
			'Correct the port, or remove it.',
		);
	if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
		throw invalidUrl(
			'The Base URL of the credential is not a valid http:// or https:// URL',
			/^https?:|:\/\//i.test(trimmed) || !URL.canParse(`https://${trimmed}`)
				? 'Enter it as in https://gateway.example.com.'
				: 'Put https:// before it.',
		);
	if (url.username !== '' || url.password !== '')
		throw invalidUrl(
			'The Base URL of the credential contains a user name or a password',
			'Remove the @ and what is before it, up to the //.',
		);
	if (/[?#]/.test(trimmed))
		throw invalidUrl(
			'The Base URL of the credential contains a query (?) or a fragment (#)',
			'Remove the ? or # and what follows it.',
		);
	const path = withoutTrailingSlashes(url.pathname);
	return url.origin + (path.endsWith('/v1') ? withoutTrailingSlashes(path.slice(0, -3)) : path);
}

function withoutTrailingSlashes(path: string): string {
	return path.replace(/(?<!\/)\/+$/, '');
}

/** "Bearer, exactly one space and the key, nothing after" (Authentication, 2): so the key itself must be clean. */
function parseApiKey(text: string): string {
	const key = text.trim().replace(/^Bearer(\s+|$)/i, '');
	if (key === '')
		throw invalidKey('The credential has no API Key', 'Enter the key of your account.');
	if (key.length > MAX_API_KEY)
		throw invalidKey(
			`The API Key of the credential is longer than ${MAX_API_KEY} characters`,
			'Enter the key and nothing else.',
		);
	if (!/^[\x21-\x7e]+$/.test(key))
		throw invalidKey(
			'The API Key of the credential contains white space, control characters or other characters that no key has',
			'Copy the key again, on one line and with nothing else.',
		);
	return key;
}

const invalidUrl = (message: string, advice: string) => invalidInput('baseUrl', message, advice);
const invalidKey = (message: string, advice: string) => invalidInput('apiKey', message, advice);

import * as z from 'zod';
import { InvalidInputError } from './errors/gatewayError';
import { MAX_API_KEY } from './redaction';

/** Characters. */
const MAX_BASE_URL = 2_048;
const MAX_PORT = 65_535;

const CREDENTIAL_ADVICE = 'Correct it in the Generation Service API credential.';

/** The URL of the service and the key to use. */
export interface Credential {
	/** Without a trailing slash, and without the `/v1` that the service's paths begin with. */
	baseUrl: string;
	/** The bare key: no `Bearer`, no white space. */
	apiKey: string;
	videoBasePath: VideoBasePath;
	ignoreSslIssues: boolean;
}

type VideoBasePath = z.infer<typeof videoBasePath>;

const videoBasePath = z.enum(['/media/v1', '/v1']);

const credentialFields = z.object({
	baseUrl: z.string().optional(),
	apiKey: z.string().optional(),
	videoBasePath: videoBasePath.optional(),
	ignoreSslIssues: z.boolean().optional(),
});

/** As the form of the credential names its fields. */
const LABELS: Record<string, string> = {
	baseUrl: 'Base URL',
	apiKey: 'API Key',
	videoBasePath: 'Video Base Path',
	ignoreSslIssues: 'Ignore SSL Issues (Insecure)',
};

/**
 * Checks and cleans the fields of the credential.
 * @throws InvalidInputError, which never repeats the key.
 */
export function parseCredential(fields: unknown): Credential {
	const parsed = credentialFields.safeParse(fields);
	if (!parsed.success) {
		const parameter = String(parsed.error.issues[0]?.path[0] ?? 'credential');
		throw invalid(parameter, `${LABELS[parameter] ?? 'The credential'} is not valid`);
	}
	return {
		baseUrl: parseBaseUrl(parsed.data.baseUrl ?? ''),
		apiKey: parseApiKey(parsed.data.apiKey ?? ''),
		videoBasePath: parsed.data.videoBasePath ?? '/media/v1',
		ignoreSslIssues: parsed.data.ignoreSslIssues ?? false,
	};
}

function parseBaseUrl(text: string): string {
	const trimmed = text.trim();
	if (trimmed === '') throw invalid('baseUrl', 'The credential has no Base URL');
	if (trimmed.length > MAX_BASE_URL) {
		throw invalid('baseUrl', `The Base URL is longer than ${MAX_BASE_URL} characters`);
	}
	const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
	const [, port = 0] = /^https?:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(trimmed) ?? [];
	if (Number(port) > MAX_PORT) {
		throw invalid('baseUrl', `The Base URL has the port ${port}, and the highest is ${MAX_PORT}`);
	}
	if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
		throw invalid('baseUrl', 'The Base URL is not a valid http:// or https:// URL');
	}
	if (url.username !== '' || url.password !== '') {
		throw invalid('baseUrl', 'The Base URL must not contain a user name or a password');
	}
	if (/[?#]/.test(trimmed)) {
		throw invalid('baseUrl', 'The Base URL must not contain a query (?) or a fragment (#)');
	}
	const path = withoutTrailingSlashes(url.pathname);
	return url.origin + (path.endsWith('/v1') ? withoutTrailingSlashes(path.slice(0, -3)) : path);
}

function withoutTrailingSlashes(path: string): string {
	return path.replace(/(?<!\/)\/+$/, '');
}

/** "Bearer, exactly one space and the key, nothing after" (Authentication, 2): so the key itself must be clean. */
function parseApiKey(text: string): string {
	const key = text.trim().replace(/^Bearer(\s+|$)/i, '');
	if (key === '') throw invalid('apiKey', 'The credential has no API Key');
	if (key.length > MAX_API_KEY) {
		throw invalid('apiKey', `The API Key is longer than ${MAX_API_KEY} characters`);
	}
	if (!/^[\x21-\x7e]+$/.test(key)) {
		throw invalid(
			'apiKey',
			'The API Key contains white space, control characters or other characters that no key has',
			'Copy the key again, on one line and with nothing else, into the Generation Service API credential.',
		);
	}
	return key;
}

function invalid(parameter: string, message: string, advice = CREDENTIAL_ADVICE) {
	return new InvalidInputError(parameter, message, advice);
}

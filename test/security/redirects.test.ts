import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Simulator } from '../../simulator';
import { until } from '../clock/until';
import {
	closerOf,
	hostOf,
	joinConnections,
	listen,
	untrustedCertificate,
} from '../engine/localServer';
import { runNode } from '../engine/runNode';
import { useProxyVariables } from '../engine/useProxyVariables';
import { videoNode } from '../nodes/video/videoNode';

/** The service and another server have certificates that n8n does not trust. */
let service: Server;
let other: Server;
let plain: Server;
/** Where the video is, as the service says. */
let videoUrl: string;
/** The requests for videos, by server. */
let requests: string[];

const urlOf = (server: Server, scheme = 'https') => `${scheme}://${hostOf(server)}`;

/** Serves `/clip`, and redirects `/to?<URL>`. */
const videosOf =
	(name: string): RequestListener =>
	(request, response) => {
		requests.push(name);
		const { authorization } = request.headers;
		if (authorization !== undefined) requests.push(`${name} with the key`);
		const [, target] = /^\/to\??(.*)$/.exec(request.url ?? '') ?? [];
		if (request.url?.startsWith('/keyed') && authorization === undefined)
			response.writeHead(401).end();
		else if (request.url?.startsWith('/keyed'))
			response.writeHead(302, { location: '/clip' }).end();
		else if (request.url?.startsWith('/endless')) {
			response.on('close', () => requests.push(`${name} is left`));
			response.writeHead(302, { location: '/clip' }).write('Elsewhere');
		} else if (target !== undefined) response.writeHead(302, { location: target }).end('Elsewhere');
		else response.setHeader('content-type', 'video/mp4').end('\u0000clip');
	};

beforeAll(async () => {
	const tls = await untrustedCertificate();
	service = createSecureServer(tls, (request, response) => {
		if (!request.url?.includes('/generations/')) return videosOf('service')(request, response);
		response.end(JSON.stringify({ id: 'task-1', status: 'completed', url: videoUrl }));
	});
	other = createSecureServer(tls, videosOf('other'));
	plain = createServer(videosOf('plain'));
	await Promise.all([service, other, plain].map(listen));
});
beforeEach(() => {
	requests = [];
});
afterAll(() => {
	for (const server of [service, other, plain]) {
		server.closeAllConnections();
		server.close();
	}
});

async function download(url: string, maxRetries = 0, prefix = '') {
	videoUrl = url;
	const { items } = await runNode({} as Simulator, {
		...videoNode({
			operation: 'get',
			taskId: 'task-1',
			download: true,
			options: { maxRetries },
		}),
		credential: { baseUrl: urlOf(service) + prefix, apiKey: 'key-of-tests', ignoreSslIssues: true },
		onError: 'continueRegularOutput',
	});
	return { error: items[0]?.json.error, size: items[0]?.binary?.data?.fileSize };
}

test('SSL issues are ignored where the service redirects to itself', async () => {
	expect(await download(`${urlOf(service)}/to?/clip`)).toMatchObject({ size: '5 B' });
	expect(requests).toEqual(['service', 'service']);
});

test('SSL issues are ignored where another server redirects to the service', async () => {
	const { size } = await download(`${urlOf(plain, 'http')}/to?${urlOf(service)}/clip`);
	expect(size).toBe('5 B');
});

test('SSL issues are not ignored on another server, also where the service redirects to it', async () => {
	for (const url of [`${urlOf(other)}/clip`, `${urlOf(service)}/to?${urlOf(other)}/clip`]) {
		const { error } = await download(url);
		expect(error).toMatchObject({ code: 'download_failed', task_id: 'task-1' });
	}
	expect(requests).toEqual(['service']);
});

test.each(['file:///etc/passwd', 'http://', ''])(
	'a redirect to "%s" is not followed',
	async (to) => {
		const { error } = await download(`${urlOf(service)}/to?${to}`);
		expect(error).toMatchObject({ message: 'The URL of the video returned status 302' });
	},
);

test('the connection of a redirect whose page does not end is closed', async () => {
	expect(await download(`${urlOf(plain, 'http')}/endless`)).toMatchObject({ size: '5 B' });
	await until(() => requests.includes('plain is left'));
});

test('redirects in circles end, and are not followed again', async () => {
	const circle = `${urlOf(plain, 'http')}/to?/to?`;
	const { error } = await download(`${circle}${'/to?'.repeat(50)}`, 1);
	expect(error).toMatchObject({ message: 'The URL of the video has too many redirects' });
	expect(requests).toHaveLength(11);
});

test('behind the answer to the key, no redirect gets the key', async () => {
	expect(await download(`${urlOf(service)}/keyed`)).toMatchObject({ size: '5 B' });
	expect(requests).toEqual(['service', 'service', 'service with the key', 'service']);
});

test('with a path in the Base URL, a URL below it gets the key where it asks for it', async () => {
	expect(await download(`${urlOf(service)}/keyed/clip`, 0, '/keyed')).toMatchObject({
		size: '5 B',
	});
	expect(requests).toEqual(['service', 'service', 'service with the key', 'service']);
});

test.each(['/keyed-too', '/keyed/../keyed-too'])(
	'with a path in the Base URL, a URL of the same host beside it gets no key: %s',
	async (path) => {
		const { error } = await download(urlOf(service) + path, 0, '/keyed');
		expect(error).toMatchObject({ code: 'download_refused', http_status: 401 });
		expect(requests).toEqual(['service']);
	},
);

test('a redirect to a URL of the service that asks for the key does not get it', async () => {
	const { error } = await download(`${urlOf(service)}/to?/keyed`);
	expect(error).toMatchObject({ code: 'download_refused', http_status: 401 });
	expect(requests).toEqual(['service', 'service']);
});

describe('a redirect from https to http', () => {
	useProxyVariables();

	test('is followed with https, where its target has that', async () => {
		const { size } = await download(`${urlOf(service)}/to?${urlOf(service, 'http')}/clip`);
		expect(size).toBe('5 B');
		expect(requests).toEqual(['service', 'service']);
	});

	test('is refused otherwise, with the URL in the error', async () => {
		const url = `${urlOf(plain, 'http')}/clip?signature=a&key=key-of-tests`;
		const { error } = await download(`${urlOf(service)}/to?${url}`);
		expect(error).toMatchObject({
			message: 'The URL of the video redirects from https to http, which is not followed',
			code: 'download_refused',
			task_id: 'task-1',
			description: expect.stringContaining(
				`HTTP Request node: ${urlOf(plain, 'http')}/clip?signature=a&key=[API key removed]`,
			),
		});
		expect(requests).toEqual(['service']);
	});

	test('that a proxy answers to CONNECT does not lead to its own file', async () => {
		const proxy = createServer().on('connect', (request, client: Socket) => {
			const [host = '', port] = String(request.url).split(':');
			requests.push(`CONNECT ${host}`);
			const location = `${urlOf(plain, 'http')}/clip`;
			if (host === 'files.test')
				return client.end(
					`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`,
				);
			const server = connect(Number(port), '127.0.0.1', () => {
				client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			});
			joinConnections(client, server);
		});
		const close = closerOf(proxy);
		process.env.HTTPS_PROXY = `http://${await listen(proxy)}`;
		const { error, size } = await download('https://files.test/clip');
		await close();
		expect(size).toBeUndefined();
		expect(error).toMatchObject({ code: 'download_refused' });
		expect(requests.filter((request) => request !== 'CONNECT 127.0.0.1')).toEqual([
			'CONNECT files.test',
		]);
	});
});

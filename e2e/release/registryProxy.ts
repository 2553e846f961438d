import { writeFile } from 'node:fs/promises';
import { createServer, request, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createSecureContext, type SecureContext } from 'node:tls';
import { generate } from 'selfsigned';
import { joinConnections } from '../../test/engine/localServer';

export interface RegistryProxy {
	/** Environment variables that send a process and its npm through the proxy. */
	environment: NodeJS.ProcessEnv;
	close(): Promise<void>;
}

/**
 * n8n takes packages from another registry only with a licence. So this is an HTTPS proxy that passes every request,
 * to whatever host, to the registry, with certificates of an authority of its own.
 */
export async function startRegistryProxy(registry: string, folder: string): Promise<RegistryProxy> {
	const authority = await generate([{ name: 'commonName', value: 'Rehearsal' }], {
		extensions: [
			{ name: 'basicConstraints', cA: true, critical: true },
			{ name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
		],
	});
	const caFile = join(folder, 'authority.pem');
	await writeFile(caFile, authority.cert);

	const certificates = new Map<string, Promise<SecureContext>>();
	const certificateOf = async (host: string) => {
		const { private: key, cert } = await generate([{ name: 'commonName', value: host }], {
			ca: { key: authority.private, cert: authority.cert },
			extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
		});
		return createSecureContext({ key, cert });
	};
	const front = createTlsServer(
		{
			SNICallback: (host, done) => {
				const context = certificates.get(host) ?? certificateOf(host);
				certificates.set(host, context);
				context.then((found) => done(null, found), done);
			},
		},
		passTo(registry),
	);
	const proxy = createServer((_request, response) => response.writeHead(502).end());
	const sockets = new Set<Socket>();
	proxy.on('connect', (_request, socket: Socket, head: Buffer) => {
		const { port } = front.address() as AddressInfo;
		const inner = connect(port, '127.0.0.1', () => {
			socket.write('HTTP/1.1 200 OK\r\n\r\n');
		});
		inner.write(head);
		joinConnections(inner, socket);
		for (const end of [inner, socket]) sockets.add(end);
	});
	for (const server of [front, proxy]) {
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	}
	const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
	return {
		environment: {
			HTTPS_PROXY: url,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: caFile,
			npm_config_cafile: caFile,
			// The settings of this machine may name another registry. These files do not exist.
			npm_config_userconfig: join(folder, 'user-npmrc'),
			npm_config_globalconfig: join(folder, 'global-npmrc'),
		},
		close: async () => {
			for (const socket of sockets) socket.destroy();
			front.closeAllConnections();
			proxy.closeAllConnections();
			await Promise.all(
				[front, proxy].map((server) => new Promise((closed) => server.close(closed))),
			);
		},
	};
}

/** Passes requests on. The registry writes the host that was asked for into the URLs of tarballs. */
function passTo(registry: string): RequestListener {
	const { hostname, port } = new URL(registry);
	return (incoming, response) => {
		const { method, url: path, headers } = incoming;
		const forwarded = { ...headers, 'x-forwarded-proto': 'https' };
		const outgoing = request({ hostname, port, method, path, headers: forwarded }, (answer) => {
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			pipeline(answer, response, () => {});
		});
		outgoing.on('error', () => {
			if (response.headersSent) response.destroy();
			else response.writeHead(502).end();
		});
		pipeline(incoming, outgoing, () => {});
	};
}

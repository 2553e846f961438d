import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { BUILT } from './paths';

/** For NODE_EXTRA_CA_CERTS: the candidates trust this certificate. */
export const AUTHORITY = join(BUILT, 'authority.pem');

/** A certificate for the simulator, which the candidates verify like any other. */
export async function makeCertificate(): Promise<{ key: string; cert: string }> {
	const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
		extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
	});
	mkdirSync(BUILT, { recursive: true });
	writeFileSync(AUTHORITY, cert);
	return { key, cert };
}

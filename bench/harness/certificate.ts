import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { BUILT } from './places';

/** What contestants trust besides the well-known authorities, by NODE_EXTRA_CA_CERTS. */
export const AUTHORITY = join(BUILT, 'authority.pem');

/** A certificate for the simulator on this machine, which contestants check as they would check any. */
export async function makeCertificate(): Promise<{ key: string; cert: string }> {
	const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
		extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
	});
	mkdirSync(BUILT, { recursive: true });
	writeFileSync(AUTHORITY, cert);
	return { key, cert };
}

import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import S3rver from 's3rver';
import type { Receiver } from './receiver';

const BUCKET = 'clips';

/** Storage with an S3 interface and one bucket. */
export async function startS3(directory: string): Promise<Receiver> {
	const server = new S3rver({
		port: 0,
		address: '127.0.0.1',
		silent: true,
		directory,
		configureBuckets: [{ name: BUCKET, configs: [] }],
	});
	const { port } = (await server.run()) as AddressInfo;
	return {
		credential: {
			type: 's3',
			data: {
				endpoint: `http://127.0.0.1:${port}`,
				region: 'us-east-1',
				accessKeyId: 'S3RVER',
				secretAccessKey: 'S3RVER',
				forcePathStyle: true,
				ignoreSSLIssues: false,
			},
		},
		read: async (file) => await readFile(join(directory, BUCKET, `${file}._S3rver_object`)),
		close: async () => await server.close(),
	};
}

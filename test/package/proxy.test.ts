import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Simulator, startSimulator } from '../../simulator';
import { untrustedCertificate } from '../engine/localServer';
import { ProxyServer } from '../security/proxyServer';

const root = join(__dirname, '../..');
const proxy = new ProxyServer();

beforeAll(async () => await proxy.listen());
afterAll(async () => await proxy.close());

/** @returns how many models the built package lists in a process of its own with these variables */
async function countModels(service: Simulator, env: NodeJS.ProcessEnv) {
	const credential = { baseUrl: service.url, apiKey: service.key };
	const script = `
		const { Gateway, parseCredential } = require('./dist/gateway');
		const connection = parseCredential(${JSON.stringify(credential)});
		const options = { maxConcurrency: 1, maxRetries: 0, timeoutMs: 10_000 };
		new Gateway(connection, options).listModels().then((models) => {
			console.log(models.length);
			process.exit();
		});
	`;
	const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
		cwd: root,
		env,
	}).finally(async () => await service.close());
	return Number(stdout);
}

test.each(['directly', 'through a proxy'])(
	'NODE_TLS_REJECT_UNAUTHORIZED=0 accepts any certificate, %s',
	async (way) => {
		const service = await startSimulator({ tls: await untrustedCertificate() });
		const env = way === 'directly' ? {} : { HTTPS_PROXY: `http://${proxy.host}` };
		const insecure = { ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
		expect(await countModels(service, insecure)).toBeGreaterThan(1);
	},
);

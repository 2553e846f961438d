import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSimulator } from '../../simulator';
import { untrustedCertificate } from '../engine/localServer';
import { ProxyServer } from '../security/proxyServer';

const root = join(__dirname, '../..');
const proxy = new ProxyServer();

beforeAll(async () => await proxy.listen());
afterAll(async () => await proxy.close());

test.each(['http', 'https'])(
	'the built package reaches a service at %s:// through a proxy',
	async (scheme) => {
		const tls = await untrustedCertificate();
		const service = await startSimulator(scheme === 'https' ? { tls } : {});
		const script = `
			const { Gateway, parseCredential } = require('./dist/gateway');
			const connection = parseCredential(${JSON.stringify({ baseUrl: service.url, apiKey: service.key, ignoreSslIssues: true })});
			const options = { maxConcurrency: 1, maxRetries: 0, timeoutMs: 10_000 };
			new Gateway(connection, options).listModels().then((models) => {
				console.log(models.length);
				process.exit();
			});
		`;
		const env = { [`${scheme.toUpperCase()}_PROXY`]: `http://${proxy.host}` };
		proxy.reset();
		const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
			cwd: root,
			env,
		}).finally(async () => await service.close());
		expect(Number(stdout)).toBeGreaterThan(1);
		const tunnel = `CONNECT ${new URL(service.url).host}`;
		expect(proxy.targets).toEqual([scheme === 'https' ? tunnel : `${service.url}/v1/models`]);
	},
);

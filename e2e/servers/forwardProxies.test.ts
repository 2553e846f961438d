import { type Simulator, startSimulator } from '../../simulator';
import { type NodeRun, runNode } from '../../test/engine/runNode';
import { useProxyVariables } from '../../test/engine/useProxyVariables';
import { useSecureSimulator, useSimulator } from '../../test/engine/useServers';
import { testCredential } from '../../test/engine/testCredential';
import { chatNode } from '../../test/nodes/chat/chatNode';
import { videoNode } from '../../test/nodes/video/videoNode';
import { type ProxySettings, squid } from './forwardProxies';
import { describeWith, type RunningServer, startServer } from './startServer';

const LOGIN = { user: 'n8n', password: 'pa55word' };
useProxyVariables();
const plain = useSimulator({ videoSeconds: 0 });
const secure = useSecureSimulator({ videoSeconds: 0 });
let proxy: RunningServer;

const once = { options: { maxRetries: 0 } };
const credentialOf = ({ url, key }: Pick<Simulator, 'url' | 'key'>) => ({
	baseUrl: url,
	apiKey: key,
	ignoreSslIssues: true,
});
const ask = async (service: Simulator, run: NodeRun = chatNode(once)) =>
	await runNode(service, { credential: credentialOf(service), ...run });

describeWith(squid, () => {
	const start = (settings: ProxySettings) => async () => {
		proxy = await startServer(squid, settings);
	};
	const close = async () => await proxy.close();

	describe('with its default configuration', () => {
		beforeAll(start({}));
		afterAll(close);
		beforeEach(() => (process.env.ALL_PROXY = proxy.url));

		test('a service at http:// is reachable, and its credential is valid', async () => {
			expect((await ask(plain)).items[0]?.json.text).toEqual(expect.any(String));
			const options = { ...once.options, stream: true };
			const stream = { ...chatNode({ options }), streaming: true };
			expect((await ask(plain, stream)).items[0]?.json.text).toEqual(expect.any(String));
			const video = videoNode({ download: true, ...once });
			expect((await ask(plain, video)).items[0]?.binary?.data).toBeDefined();
			expect(await testCredential(credentialOf(plain))).toBeUndefined();
			expect(plain.requests.every(({ headers }) => 'via' in headers)).toBe(true);
		});

		test('a refused tunnel to a port other than 443 is a clear error', async () => {
			const { error } = await ask(secure);
			expect(error?.message).toMatch(/proxy .*refused to connect to the service \(status 403\)/);
			expect(error?.description).toMatch(/allow the host and port/);
			expect(secure.requests).toEqual([]);
		});
	});

	describe('with tunnels allowed to the port of the service', () => {
		beforeAll(async () => {
			await start({ tunnelPort: new URL(secure.url).port })();
		});
		afterAll(close);
		beforeEach(() => (process.env.ALL_PROXY = proxy.url));

		test('a service at https:// is reachable, and each submission uses a new tunnel', async () => {
			expect((await ask(secure)).items[0]?.json.text).toEqual(expect.any(String));
			const before = secure.connections;
			const submit = videoNode({ operation: 'submit', ...once });
			await ask(secure, submit);
			await ask(secure, submit);
			expect(secure.submissions).toBe(2);
			expect(secure.connections).toBe(before + 2);
		});
	});

	describe('if the service is down', () => {
		let down: { url: string; key: string };
		beforeAll(async () => {
			const service = await startSimulator();
			down = { url: service.url.replace('http:', 'https:'), key: service.key };
			await service.close();
			await start({ tunnelPort: new URL(down.url).port })();
		});
		afterAll(close);

		test('the error says that the service cannot be reached, not that the proxy refused', async () => {
			process.env.ALL_PROXY = proxy.url;
			const { error } = await ask(plain, { ...chatNode(once), credential: credentialOf(down) });
			expect(error?.message).toMatch(/proxy .*could not reach the service \(status 50\d\)/);
			expect(error?.description).toMatch(/that the service is running/);
			expect(error?.description).not.toMatch(/may have accepted/);
		});
	});

	describe('with a password', () => {
		beforeAll(async () => {
			await start({ tunnelPort: new URL(secure.url).port, login: LOGIN })();
		});
		afterAll(close);

		test.each(['http', 'https'])('a service at %s:// is reachable', async (scheme) => {
			const { user, password } = LOGIN;
			process.env.ALL_PROXY = proxy.url.replace('//', `//${user}:${password}@`);
			const { items } = await ask(scheme === 'http' ? plain : secure);
			expect(items[0]?.json.text).toEqual(expect.any(String));
		});

		test.each(['http', 'https'])(
			'a service at %s:// is not reachable without it, and the error names the proxy',
			async (scheme) => {
				process.env.ALL_PROXY = proxy.url;
				const { error } = await ask(scheme === 'http' ? plain : secure);
				expect(error?.message).toMatch(/proxy .*user name and password/);
				expect(error?.description).not.toMatch(/may have accepted/);
			},
		);
	});
});

import type { INodeParameters } from 'n8n-workflow';
import type { ModelOutput } from '../../../gateway';
import { withinTotalTime } from '../../../gateway';
import { modelOutputOf } from '../../../gateway/dialects';
import { modelList } from '../../../gateway/schemas/models';
import { VirtualClock } from '../../clock/virtualClock';
import { modelDropdown } from '../../engine/modelDropdown';
import { useRawServer, useSimulator } from '../../engine/useServers';
import { rawJson, rawResponse } from '../../engine/rawServer';
import { credentialOf, runNode } from '../../engine/runNode';

const simulator = useSimulator();
const service = useRawServer();

const list = async (parameters: object, items = [{}]) =>
	await runNode(simulator, { node: 'listModels', parameters: { ...parameters }, items });

const ids = (items: Array<{ json: Record<string, unknown> }>) => items.map(({ json }) => json.id);

test.each(['heron-20251301', 'heron@20250231'])('%s is a name without a date', async (id) => {
	service.respond = () => rawJson({ data: [id] });
	const { items } = await runNode(service, { node: 'listModels', parameters: {} });
	expect(items[0]?.json).toMatchObject({ base_name: id, version_date: null });
});

test('a model of several kinds is selected by any of them, and the dropdown says what it makes', async () => {
	const film = { id: 'film', type: 'model', modality: 'text->video' };
	service.respond = () => rawJson({ data: [{ id: 'chat', type: 'text' }, film] });
	const parameters = { filters: { kind: ' Video ' } };
	const { items } = await runNode(service, { node: 'listModels', parameters });
	expect(ids(items)).toEqual(['film']);
	const { results } = await modelDropdown('text', credentialOf(service), '');
	expect(results.map(({ name }) => name)).toEqual(['chat', 'film (text->video)']);
});

test.each([
	['HERON', ['heron@20250101', 'heron']],
	['2025', ['heron@20250101']],
	[' @20250101 ', ['heron@20250101']],
	['tern', []],
])('Search finds "%s" in names and their dates', async (search, found) => {
	service.respond = () => rawJson({ data: ['heron@20250101', 'kite', 'heron'] });
	const parameters = { filters: { search } };
	const { items } = await runNode(service, { node: 'listModels', parameters });
	expect(ids(items)).toEqual(found);
});

describe('a list in pages', () => {
	const listed = async () => {
		const parameters = { returnAll: true };
		const { items, hints } = await runNode(service, { node: 'listModels', parameters });
		return { ids: ids(items), hints };
	};
	const pathIn = (request: string) => /^GET (\S+)/.exec(request)?.[1];

	test('is read to its end, each model once', async () => {
		service.respond = (request) =>
			/page=2/.test(request)
				? rawJson({ data: ['kite', 'heron'], next: null })
				: rawJson({ data: ['heron'], next: '?page=2' });
		expect(await listed()).toEqual({ ids: ['heron', 'kite'], hints: [] });
		expect(service.requests.map(pathIn)).toEqual(['/v1/models', '/v1/models?page=2']);
	});

	test.each([
		'http://127.0.0.2:PORT/v1/models?page=2',
		'/v2/models?page=2',
		'?',
		'#more',
		'http://',
	])(
		'whose next page is "%s" sends the key nowhere else, and a hint says that there are more models',
		async (next) => {
			const { port } = new URL(service.url);
			service.respond = () => rawJson({ data: ['heron'], next: next.replace('PORT', port) });
			expect(await listed()).toEqual({
				ids: ['heron'],
				hints: [expect.stringContaining('has more models than it lists')],
			});
			expect(new Set(service.requests.map(pathIn))).toEqual(new Set(['/v1/models']));
		},
	);

	test('that never ends is read up to 100 pages', async () => {
		service.respond = () => {
			const { length } = service.requests;
			return rawJson({ data: [`heron-${length}`], next: `?page=${length}` });
		};
		expect(await listed()).toMatchObject({ ids: { length: 100 }, hints: { length: 1 } });
	});
});

test('the first models come out, up to Limit or all', async () => {
	const data = Array.from({ length: 60 }, (_, index) => `heron-${index}`);
	service.respond = () => rawJson({ data });
	const listed = async (parameters: INodeParameters) =>
		ids((await runNode(service, { node: 'listModels', parameters })).items);
	expect(await listed({})).toEqual(data.slice(0, 50));
	expect(await listed({ limit: 2 })).toEqual(data.slice(0, 2));
	expect(await listed({ returnAll: true, limit: 2 })).toEqual(data);
});

test('of each family, Versions: All lists every model, Latest the last date, and Undated none with a date, in any order', async () => {
	const families = ['heron@20250101', 'heron', 'heron@20240101', 'kite', 'tern@20240101', 'tern'];
	for (const data of [families, [...families].reverse()]) {
		service.respond = () => rawJson({ data });
		const listed = async (versions: string) =>
			ids(
				(await runNode(service, { node: 'listModels', parameters: { filters: { versions } } }))
					.items,
			);
		expect(await listed('all')).toEqual(data);
		expect((await listed('latest')).sort()).toEqual(['heron@20250101', 'kite', 'tern@20240101']);
		expect((await listed('undated')).sort()).toEqual(['heron', 'kite', 'tern']);
	}
});

test.each([0, -1, 1.5, 'many'])('a limit of %p is refused before any request', async (limit) => {
	const { error } = await list({ limit: `={{ ${JSON.stringify(limit)} }}` });
	expect(error?.message).toMatch(/^Limit must be a whole number of 1 or more \(it is/);
	expect(simulator.requests).toEqual([]);
});

test('Versions that an expression misspells are refused before any request', async () => {
	const { error } = await list({ filters: { versions: '={{ "newest" }}' } });
	expect(error?.message).toMatch(/^Versions must be all or latest or undated/);
	expect(simulator.requests).toEqual([]);
});

test.each([
	{ data: [] },
	{ success: true, data: [] },
	{ code: 200, message: 'ok', data: [] },
	{ object: 'list', data: null },
])(
	'an account without models has an empty list, also where null stands for it: %j',
	async (body) => {
		service.respond = () => rawJson(body);
		const { items, hints, error } = await runNode(service, { node: 'listModels', parameters: {} });
		expect(error).toBeUndefined();
		expect(items).toEqual([]);
		expect(hints).toEqual(['The service has no models for this account.']);
	},
);

test.each(['name', 'model'])('a model whose id is a number is listed by its %s', async (field) => {
	service.respond = () => rawJson({ data: [{ id: 7, [field]: 'heron', owner: 'reeds' }] });
	const { items } = await runNode(service, { node: 'listModels', parameters: {} });
	expect(items.map(({ json }) => json)).toEqual([
		{ id: 'heron', [field]: 'heron', owner: 'reeds', base_name: 'heron', version_date: null },
	]);
});

test('a list of models in which no entry has a name, or that failed, is an error, not an empty list', async () => {
	for (const body of [
		...[{ data: [{ owner: 'reeds' }, null] }, { data: null }],
		{ success: false, data: [] },
	]) {
		service.respond = () => rawJson(body);
		const { error } = await runNode(service, { node: 'listModels', parameters: {} });
		expect(error?.message).toContain('does not have the format');
	}
});

test('a list of models that is null or empty beside an error is that error', async () => {
	const error = { message: 'The catalogue is unavailable' };
	for (const body of [
		{ object: 'list', data: null, error },
		{ code: 'rate_limit_exceeded', ...error, data: [] },
	]) {
		service.respond = () => rawJson(body);
		const run = await runNode(service, { node: 'listModels', parameters: {} });
		expect(run.error?.description).toContain(error.message);
	}
});

const searchFor = async (text: string, credential = credentialOf(simulator)) =>
	await modelDropdown('video', credential, text);

test('the dropdown lists the models of its kind first', async () => {
	const { results } = await searchFor('');
	expect(results.slice(0, 6).map(({ name }) => name)).toEqual([
		...['kite-motion', 'kite-motion@20250501', 'tern-film-20250212', 'heron-chat (text)'],
		...['heron-chat@20250620 (text)', 'heron-chat@20250115 (text)'],
	]);
	expect(results.map(({ value }) => value)).toContain('willow-write@20241201');
});

test('a model whose record has a field "error" is a good item', async () => {
	service.respond = () => rawJson({ data: [{ id: 'heron', error: 'deprecated', owner: 'us' }] });
	const { items } = await runNode(service, { node: 'listModels', parameters: {} });
	expect(items[0]?.json).toEqual(expect.objectContaining({ id: 'heron', owner: 'us' }));
	expect(items[0]?.json).not.toHaveProperty('error');
});

test('the dropdown has no model whose ID would be an expression of n8n', async () => {
	service.respond = () => rawJson({ data: ['={{ $env.SECRET }}', 'heron'] });
	const { results } = await modelDropdown('text', credentialOf(service));
	expect(results.map(({ value }) => value)).toEqual(['heron']);
});

test('the dropdown lists each family with its undated name first, then its newest models', async () => {
	const dated = ['heron@20240101', 'heron@20250101', 'heron'];
	for (const data of [dated, [...dated].reverse()]) {
		service.respond = () => rawJson({ data: ['tern', ...data, 'kite'] });
		const { results } = await searchFor('', credentialOf(service));
		const names = ['heron', 'heron@20250101', 'heron@20240101', 'kite', 'tern'];
		expect(results.map(({ value }) => value)).toEqual(names);
	}
});

test('the dropdown finds what is pasted with white space, and lists no name that n8n would evaluate', async () => {
	service.respond = () => rawJson({ data: ['=heron', 'heron=', 'kite'] });
	const { results } = await searchFor(' Heron\n', credentialOf(service));
	expect(results.map(({ value }) => value)).toEqual(['heron=']);
});

test('the dropdown lists a model of its kind first, also where it comes after 500 others', async () => {
	const chats = Array.from({ length: 500 }, (_, index) => ({ id: `chat-${index}`, type: 'text' }));
	service.respond = () => rawJson({ data: [...chats, { id: 'film', type: 'video' }] });
	const { results } = await searchFor('', credentialOf(service));
	expect(results[0]?.name).toBe('film');
	expect(results).toHaveLength(500);
});

test('the dropdown lists the first 500 of more models, and finds the others', async () => {
	const data = Array.from({ length: 501 }, (_, index) => `heron-${index + 1000}`);
	service.respond = () => rawJson({ data });
	const { results } = await searchFor('', credentialOf(service));
	expect(results.map(({ value }) => value)).toEqual(data.slice(0, 500));
	const { results: found } = await searchFor('1500', credentialOf(service));
	expect(found.map(({ value }) => value)).toEqual(['heron-1500']);
});

test('the model dropdown fails at once on a rate limit, and the next one waits for no pause', async () => {
	const refusal = rawResponse('429 Too Many Requests', '{}', { 'retry-after': '120' });
	service.respond = () => (service.requests.length === 1 ? refusal : rawJson({ data: ['kite'] }));
	await expect(searchFor('', credentialOf(service))).rejects.toThrow(/rate limit/);
	const { results } = await searchFor('', credentialOf(service));
	expect(results).toMatchObject([{ value: 'kite' }]);
});

test.each<[string, { path?: string; apiKey?: string }, RegExp]>([
	['a wrong path in the Base URL', { path: '/v2' }, /Check the Base URL in the credential/],
	['a wrong key', { apiKey: 'another-key' }, /refused the API key.*may be mistyped/],
	['an empty key', { apiKey: '' }, /The credential has no API Key.*Enter the key/],
])('with %s, the model dropdown says what to do', async (_, { path = '', apiKey }, expected) => {
	const { baseUrl, apiKey: right } = credentialOf(simulator);
	const credential = { baseUrl: baseUrl + path, apiKey: apiKey ?? right };
	await expect(searchFor('kite', credential)).rejects.toThrow(expected);
});

const models = [
	{ id: 'heron-chat', owner: 'reeds' },
	{ id: null, name: 'kite-motion' },
];

test.each<[string, object]>([
	['a bare array', models],
	['data', { object: 'list', data: models }],
	['models', { models }],
	['items', { items: models, total: 2 }],
	['result', { result: models }],
	['results', { count: 2, results: models }],
	['data.list', { code: 0, data: { list: models, total: 2 } }],
	['data with an entry without a name', { data: [...models, { owner: 'reeds' }, null] }],
	['data.models', { code: 'ok', message: '', data: { models } }],
])('a list of models in the form of %s is read', async (_shape, catalogue) => {
	service.respond = () => rawJson(catalogue);
	const { items } = await runNode(service, { node: 'listModels', parameters: {} });
	expect(ids(items)).toEqual(['heron-chat', 'kite-motion']);
	expect(items[0]?.json.owner).toBe('reeds');
});

test.each<[object, ModelOutput | undefined]>([
	[{ type: 'video' }, 'video'],
	[{ kind: 'video' }, 'video'],
	[{ task: 'text-to-video' }, 'video'],
	[{ tasks: ['text-to-video'] }, 'video'],
	[{ category: 'Speech' }, 'other'],
	[{ mode: 'chat' }, 'text'],
	[{ output_modalities: ['video'] }, 'video'],
	[{ modality: 'text+image->text' }, 'text'],
	[{ object: 'model', type: 'chat' }, 'text'],
	[{ capabilities: ['completion', 'chat'] }, 'text'],
	[{ modalities: ['text-to-image'] }, 'other'],
	[{ modalities: ['text', 'video'] }, undefined],
	[{ object: 'model', type: 'model' }, undefined],
	[{ type: 7, task: null }, undefined],
])('a model with %j generates %s', (fields, output) => {
	const [model] = modelList.lenient.parse({ data: [{ id: 'heron', ...fields }] }).models;
	expect(model && modelOutputOf(model)).toBe(output);
});

test('what the editor waits for ends after 20 seconds, even if the service sends a byte now and then', async () => {
	const clock = new VirtualClock();
	const trickle = async (signal: AbortSignal) => {
		for (;;) await clock.sleep(2_000, signal);
	};
	const work = withinTotalTime(20_000, trickle, clock);
	await expect(clock.run(work)).rejects.toMatchObject({ code: 'timeout' });
	expect(clock.now() - Date.UTC(2026, 0, 1)).toBe(20_000);
});

test('Limit counts the models that pass the filters', async () => {
	service.respond = () => rawJson({ data: ['heron', 'kite', 'kite-motion', 'kite-still'] });
	const { items } = await runNode(service, {
		node: 'listModels',
		parameters: { limit: 2, filters: { search: 'kite' } },
	});
	expect(items.map(({ json }) => json.id)).toEqual(['kite', 'kite-motion']);
});

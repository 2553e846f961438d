import { type Scenario, scenario as scenarioSchema } from './schema';

/** Fields that a simpler scenario has not. */
const NEEDED = new Set([
	'kind',
	'name',
	'model',
	'operation',
	'prompt',
	'what',
	'at',
	'p',
	'seed',
	'breaks',
]);

/** Scenarios that are simpler than this one by one thing, the greatest difference first. */
export function simpler(scenario: Scenario): Scenario[] {
	const changes: unknown[] = [];
	const plain = { build: 'undici', order: 'v1', shape: 'sequence' };
	for (const [name, value] of Object.entries(plain))
		if (scenario[name as keyof typeof plain] !== value)
			changes.push({ ...scenario, [name]: value });
	changes.push(...without(scenario, []));
	return changes.flatMap((change) => scenarioSchema.safeParse(change).data ?? []);
}

/** Copies without one element of a list, or one field that is not needed, at any depth. */
function without(whole: unknown, path: Array<string | number>): unknown[] {
	const here = path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], whole);
	if (typeof here !== 'object' || here === null) return [];
	const names = Array.isArray(here) ? [...here.keys()].reverse() : Object.keys(here);
	const isTuple = path.at(-1) === 'latencyMs' || path.at(-1) === 'attempts';
	const removed = names.flatMap((name) =>
		isTuple || NEEDED.has(String(name)) ? [] : [remove(whole, path, name)],
	);
	return [...removed, ...names.flatMap((name) => without(whole, [...path, name]))];
}

function remove(whole: unknown, path: Array<string | number>, name: string | number): unknown {
	const copy = structuredClone(whole);
	const place = path.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], copy);
	if (Array.isArray(place)) place.splice(Number(name), 1);
	else Reflect.deleteProperty(place as object, name);
	return copy;
}

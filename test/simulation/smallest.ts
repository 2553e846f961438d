import { playScenario } from './judged';
import { type Scenario, scenario as scenarioSchema } from './scenario/schema';

/** How many smaller scenarios are played. */
const MOST_PLAYED = 150;

/** Fields that every scenario has. */
const NEEDED = new Set(['kind', 'name', 'model', 'operation', 'prompt', 'what', 'at', 'p', 'seed']);
/** Lists that mean another thing without one of their elements. */
const WHOLE = new Set(['latencyMs', 'connectMs', 'attempts']);

/** The smallest scenario found that breaks the promise as this one does. */
export async function smallest(scenario: Scenario, promise: string): Promise<Scenario> {
	let found = scenario;
	let left = MOST_PLAYED;
	const breaks = async (candidate: Scenario) =>
		(left -= 1) >= 0 &&
		(await playScenario(candidate)).broken.some((each) => each.promise === promise);
	for (let isSmaller = true; isSmaller; ) {
		isSmaller = false;
		for (const candidate of smaller(found)) {
			if (!(await breaks(candidate))) continue;
			found = candidate;
			isSmaller = true;
			break;
		}
	}
	return found;
}

/** Scenarios that are smaller than this one by one thing, the greatest difference first. */
function smaller(scenario: Scenario): Scenario[] {
	const plain = { build: 'undici', order: 'v1', shape: 'sequence' } as const;
	const plainer = Object.entries(plain)
		.filter(([name, value]) => scenario[name as keyof typeof plain] !== value)
		.map(([name, value]) => ({ ...scenario, [name]: value }));
	return [...plainer, ...without(scenario)].flatMap(
		(each) => scenarioSchema.safeParse(each).data ?? [],
	);
}

/** Copies without half of a list, one element of a list, or one field that is not needed, at any depth. */
function without(whole: unknown, name = ''): unknown[] {
	if (typeof whole !== 'object' || whole === null || WHOLE.has(name)) return [];
	if (Array.isArray(whole)) {
		const half = Math.ceil(whole.length / 2);
		const halves = whole.length > 3 ? [whole.slice(0, half), whole.slice(half)] : [];
		return [
			...halves,
			...whole.map((_, index) => whole.toSpliced(index, 1)),
			...whole.flatMap((each, index) => without(each).map((one) => whole.with(index, one))),
		];
	}
	const fields = Object.entries(whole);
	return [
		...fields.flatMap(([field]) =>
			NEEDED.has(field) ? [] : [Object.fromEntries(fields.filter(([other]) => other !== field))],
		),
		...fields.flatMap(([field, value]) =>
			without(value, field).map((one) => ({ ...whole, [field]: one })),
		),
	];
}

import type { Scenario } from './scenario/schema';

/** How often each part of a scenario was drawn: what is never drawn is never judged. */
export class Drawn {
	private readonly counts = new Map<string, number>();
	private scenarios = 0;

	add(scenario: Scenario): void {
		this.scenarios += 1;
		for (const part of new Set(partsOf(scenario)))
			this.counts.set(part, (this.counts.get(part) ?? 0) + 1);
	}

	/** A line for each group of parts. */
	table(): string {
		const groups = new Map<string, string[]>();
		for (const [part, count] of [...this.counts].toSorted(([, one], [, other]) => other - one)) {
			const [group = '', name = ''] = part.split(': ');
			groups.set(group, [...(groups.get(group) ?? []), `${name} ${count}`]);
		}
		const lines = [...groups].map(([group, names]) => `  ${group}: ${names.join(', ')}`);
		return [`Drawn in ${this.scenarios} scenarios:`, ...lines.toSorted()].join('\n');
	}
}

function partsOf(scenario: Scenario): string[] {
	const { build, order, shape, nodes, items, service, events, afterwards } = scenario;
	const { limits, faults, tasks, outages = [] } = service;
	return [
		`build: ${build}`,
		`order: ${order}`,
		`shape: ${shape}`,
		...(scenario.caller ? [`caller: ${scenario.caller}`] : []),
		...(scenario.split ? ['shape: second output'] : []),
		...(scenario.failsAfter ? ['shape: a later node fails'] : []),
		...nodes.map((node) => `node: ${node.kind === 'video' ? node.operation : node.kind}`),
		...nodes.flatMap((node) => Object.keys(node).map((name) => `option: ${name}`)),
		...items.flatMap((item) => Object.keys(item).map((name) => `item: ${name}`)),
		...events.map(({ what }) => `event: ${what}`),
		...afterwards.map((what) => `afterwards: ${what}`),
		...limits.map(({ kind, announces = '' }) => `limit: ${kind} ${announces}`.trim()),
		...faults.map(({ endpoint, fault }) => `${endpoint} fault: ${fault}`),
		...outages.map(({ failure }) => `outage: ${failure}`),
		...tasks.flatMap((task) => Object.keys(task).map((name) => `task: ${name}`)),
	];
}

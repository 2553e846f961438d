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
	const billable = faults.filter(({ endpoint }) => /chat|submit/.test(endpoint));
	const isLost = billable.some(({ fault }) => /lost|stall|reset|cut|page-50|page-524/.test(fault));
	const streams = nodes.some((node) => node.kind === 'chat' && node.stream === true);
	const has = (what: string) => events.some((event) => event.what === what);
	const hasModel = nodes.some(({ kind }) => kind === 'model');
	const isStored = nodes.some((node) => node.kind === 'video' && node.wait?.waitIn === 'database');
	const pairs = {
		'lost × verified': isLost && build === 'verified',
		'lost × retry': isLost && afterwards.length > 0,
		'streamed × cut': streams && faults.some(({ fault }) => fault === 'cut'),
		'streamed × error inside': streams && faults.some(({ fault }) => fault.startsWith('error-')),
		'model × stop': has('stop') && hasModel,
		'model × fault': hasModel && faults.some(({ endpoint }) => endpoint === 'chat'),
		'database × event': isStored && events.length > 0,
		'sub-workflow × event': shape === 'subWorkflow' && events.length > 0,
		'spending limit × lost': isLost && nodes.some((node) => 'maxBillable' in node),
		'spending limit × tries': nodes.some((node) => 'maxBillable' in node && 'tries' in node),
		'stop × limit': has('stop') && limits.length > 0,
	};
	return [
		`build: ${build}`,
		`order: ${order}`,
		`shape: ${shape}`,
		...(scenario.caller ? [`caller: ${scenario.caller}`] : []),
		...(service.basePath ? [`Base URL: ${service.basePath}`] : []),
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
		...Object.entries(pairs).flatMap(([name, isDrawn]) => (isDrawn ? [`pair: ${name}`] : [])),
	];
}

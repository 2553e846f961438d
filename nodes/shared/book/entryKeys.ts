import { type IExecuteFunctions, type INodeProperties, isResourceLocatorValue } from 'n8n-workflow';
import { type Book, type BookEntry, hashOf } from '../../../gateway';
import { runsAsTool } from '../form/hints';

/** The parameters of a node that form its request. */
export interface RequestParameters {
	properties: INodeProperties[];
	/** Options among them that do not change what is generated, as the node names them. */
	otherOptions: string[];
	/** Those of them that the request contains, as the service names them. */
	otherFields: string[];
}

type Runs = Book['runs'];
type Entries = Runs[string];

/** Where the entries of one run of a node are among those that its context has, by fingerprints of its requests. */
export interface EntryKeys {
	/** The name of the run. */
	readonly run: string;
	readonly entries: Entries;
	/** Those that this run may find. */
	readonly earlier: Array<[key: string, entry: BookEntry]>;
	/** Where the entry of an item's request is, or will be. */
	keyOf: (itemIndex: number, request: object) => string;
	/** Whether no other run asks for the entry. */
	isOwn: (key: string) => boolean;
	/** Whether the run may be repeated, by the index of the first item of its output that is an error, or -1. */
	mayRepeat: (failed: number) => boolean;
	/** The run is over. */
	release: () => void;
}

export function keysOf(
	context: IExecuteFunctions,
	parameters: RequestParameters,
	runs: Runs,
): EntryKeys {
	const keys = runsAsTool(context.getNode()) ? keysOfTool : keysOfRun;
	return keys(context, parameters, runs);
}

/**
 * The entries of an earlier try. In a second try an expression may have another result (`$now`, a random number), so a request
 * is recognised by the form and the input: another prompt or input is a new request; another key, Base URL, Max Wait or
 * Download is not. A form that was corrected for one item leaves the others unchanged: then the evaluated request decides.
 */
function keysOfRun(
	context: IExecuteFunctions,
	parameters: RequestParameters,
	runs: Runs,
): EntryKeys {
	const node = context.getNode();
	const run = `run ${String(context.evaluateExpression?.('{{ $runIndex }}', 0))}`;
	const entries = runs[run] ?? {};
	const earlier = Object.entries(entries);
	const known = new Map<string, string>();
	for (const [key] of earlier) {
		const [item, form, request] = key.split(' ');
		known.set(`${item} ${request}`, key).set(`${item} ${form}`, key);
	}
	const formOfAll = hashOf(rawForm(node.parameters, parameters));
	const items = context.getInputData();
	return {
		run,
		entries,
		earlier,
		keyOf(itemIndex, request) {
			const item = hashOf(items[itemIndex]?.json);
			const form = hashOf([formOfAll, item]);
			const sameForm = known.get(`${itemIndex} ${form}`);
			if (sameForm !== undefined) return sameForm;
			const fingerprint = hashOf([item, withoutFields(request, parameters.otherFields)]);
			return known.get(`${itemIndex} ${fingerprint}`) ?? `${itemIndex} ${form} ${fingerprint}`;
		},
		isOwn: () => true,
		mayRepeat: (failed) => node.retryOnFail === true && failed === 0,
		release() {
			if (Object.keys(entries).length === 0) delete runs[run];
		},
	};
}

/** The parameters as the user wrote them. */
function rawForm(
	given: Record<string, unknown> = {},
	{ properties, otherOptions }: RequestParameters,
): unknown[] {
	return properties.map(({ name, type, default: omitted }) => {
		const value = given[name] ?? omitted;
		// A model is the same whether it was chosen from the list or typed.
		if (isResourceLocatorValue(value)) return value.value;
		return comparable(type === 'collection' ? withoutFields(value, otherOptions) : value);
	});
}

function withoutFields(fields: unknown, names: string[]): unknown {
	if (typeof fields !== 'object' || fields === null) return fields;
	return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** The fields of a collection come in any order. */
function comparable(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(comparable);
	if (typeof value !== 'object' || value === null) return value;
	return Object.entries(value)
		.map(([name, field]): [string, unknown] => [name, comparable(field)])
		.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Failed calls whose paid work is kept until an agent repeats them. They may be large. */
const MAX_KEPT = 50;

/** The keys of calls that are under way, by where they are stored: an agent may call a tool twice at the same moment. */
const keysTaken = new WeakMap<Entries, Set<string>>();

/**
 * The entries of a node that is a tool of an agent. n8n starts a new run for every call, even for a second try: paid work
 * that was not returned belongs to all runs, and each of several equal calls at once has its own entry. The arguments of a
 * call are in no parameter, so only the evaluated request tells it.
 */
function keysOfTool(
	_: IExecuteFunctions,
	{ otherFields }: RequestParameters,
	runs: Runs,
): EntryKeys {
	const run = 'all runs';
	// Calls at the same moment share it.
	const entries = (runs[run] ??= {});
	const taken = keysTaken.get(entries) ?? new Set();
	keysTaken.set(entries, taken);
	const mine = new Set<string>();
	const untaken = () => Object.entries(entries).filter(([key]) => !taken.has(key));
	return {
		run,
		entries,
		earlier: untaken(),
		keyOf(itemIndex, request) {
			const name = `${itemIndex} ${hashOf(withoutFields(request, otherFields))}`;
			let [key] = untaken().find(([known]) => known.startsWith(name)) ?? [];
			for (let number = 0; key === undefined; number += 1) {
				const next = `${name} ${number}`;
				if (!taken.has(next) && !(next in entries)) key = next;
			}
			mine.add(key);
			taken.add(key);
			return key;
		},
		isOwn: (key) => mine.has(key),
		// By its agent.
		mayRepeat: (failed) => failed >= 0,
		release() {
			for (const key of mine) taken.delete(key);
			for (const [key] of untaken().slice(0, -MAX_KEPT)) delete entries[key];
		},
	};
}

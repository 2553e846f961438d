import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { type BookEntry, hashOf } from '../../../gateway';
import { runsAsTool } from '../form/hints';

/** The parameters of a node that form its request. */
export interface RequestParameters {
	properties: INodeProperties[];
	/** Options among them that do not change what is generated, as the node names them. */
	otherOptions: string[];
	/** Those of them that the request contains, as the service names them. */
	otherFields: string[];
}

/**
 * What identifies a request in a second try. Both are fingerprints.
 *
 * In a second try an expression may have another result (`$now`, a random number), so a request is recognised by the form
 * and the input: another prompt or input is a new request; another key, Base URL, Max Wait or Download is not. A form that
 * was corrected for one item leaves the others unchanged: then the evaluated request decides.
 */
export interface RequestIdentity {
	/** Of the unevaluated parameters and the item. Undefined for an agent's tool: the agent's arguments are in no parameter. */
	form: string | undefined;
	/** Of the evaluated request and the item. Computed only for an item that is not found by its form. */
	request: () => string;
}

/** Tells the identity of each item's request. */
export function requestIdentities(
	context: IExecuteFunctions,
	{ properties, otherOptions, otherFields }: RequestParameters,
): (itemIndex: number, request: object) => RequestIdentity {
	const node = context.getNode();
	const raw = properties.map(({ name, type, default: omitted }) => {
		const value: unknown = node.parameters[name] ?? omitted;
		if (type === 'resourceLocator') return chosen(value);
		return type === 'collection'
			? comparable(withoutFields(value, otherOptions))
			: comparable(value);
	});
	const form = hashOf(raw);
	const items = context.getInputData();
	const ofRequest = (request: object) => withoutFields(request, otherFields);
	if (runsAsTool(node))
		return (_, request) => ({ form: undefined, request: () => hashOf(ofRequest(request)) });
	return (itemIndex, request) => {
		const item = hashOf(items[itemIndex]?.json);
		return { form: hashOf([form, item]), request: () => hashOf([item, ofRequest(request)]) };
	};
}

/** A model is the same whether it was chosen from the list or typed. */
function chosen(locator: unknown): unknown {
	return typeof locator === 'object' && locator !== null && 'value' in locator
		? locator.value
		: locator;
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

type Entries = Record<string, BookEntry>;

/** Where the entries of one run of a node are among those that its context has. */
export interface EntryKeys {
	/** The entries that this run may find. */
	readonly earlier: Array<[key: string, entry: BookEntry]>;
	/** Where the entry of a request is, or will be. */
	keyOf: (itemIndex: number, identity: RequestIdentity) => string;
	/** The run is over. */
	release: () => void;
}

/** The entries of an earlier try, by the form and by the request of their item. */
export function keysOfRun(entries: Entries): EntryKeys {
	const known = new Map<string, string>();
	const earlier = Object.entries(entries);
	for (const [key] of earlier) {
		const [item, form, request] = key.split(' ');
		known.set(`${item} ${request}`, key).set(`${item} ${form}`, key);
	}
	return {
		earlier,
		keyOf(itemIndex, { form, request }) {
			const sameForm = known.get(`${itemIndex} ${form}`);
			if (sameForm !== undefined) return sameForm;
			const fingerprint = request();
			return known.get(`${itemIndex} ${fingerprint}`) ?? `${itemIndex} ${form} ${fingerprint}`;
		},
		release: () => {},
	};
}

/** Failed calls whose paid work is kept until an agent repeats them. They may be large. */
const MAX_KEPT = 50;

/** The keys of calls that are under way, by where they are stored: an agent may call a tool twice at the same moment. */
const keysTaken = new WeakMap<Entries, Set<string>>();

/**
 * The entries of a node that is a tool of an agent. n8n starts a new run for every call, even for a second try: paid work
 * that was not returned belongs to all runs, and each of several equal calls at once has its own entry.
 */
export function keysOfTool(entries: Entries): EntryKeys {
	const taken = keysTaken.get(entries) ?? new Set();
	keysTaken.set(entries, taken);
	const mine = new Set<string>();
	const untaken = () => Object.entries(entries).filter(([key]) => !taken.has(key));
	return {
		earlier: untaken(),
		keyOf(itemIndex, { request }) {
			const name = `${itemIndex} ${request()}`;
			let [key] = untaken().find(([known]) => known.startsWith(name)) ?? [];
			for (let number = 0; key === undefined; number += 1) {
				const next = `${name} ${number}`;
				if (!taken.has(next) && !(next in entries)) key = next;
			}
			mine.add(key);
			taken.add(key);
			return key;
		},
		release() {
			for (const key of mine) taken.delete(key);
			for (const [key] of untaken().slice(0, -MAX_KEPT)) delete entries[key];
		},
	};
}

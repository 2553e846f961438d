import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import type { IExecuteFunctions, INodeType } from 'n8n-workflow';
import { MemoryFiles } from './files';
import { zlib } from './zlib';

type Load = (name: string) => unknown;
type Factory = (
	module: { exports: object },
	exports: object,
	require: Load,
	file: string,
	folder: string,
) => void;

/** What a process gets instead of the network. */
export interface Network {
	/** In the place of undici. */
	undici: object;
	/** In the place of n8n's request helper. */
	httpRequest: IExecuteFunctions['helpers']['httpRequest'];
}

/** A package as it is published, compiled once. Each process evaluates it anew. */
export class BuiltPackage {
	private readonly compiled = new Map<string, Factory>();
	private readonly require: NodeJS.Require;
	private readonly name: string;
	private readonly files: string[];

	/** @param folder with a package.json that names the built nodes */
	constructor(private readonly folder: string) {
		this.require = createRequire(join(folder, 'package.json'));
		const manifest = this.require('./package.json') as { name: string; n8n: { nodes: string[] } };
		this.name = manifest.name;
		this.files = manifest.n8n.nodes;
	}

	/** Starts the package in a new process. @returns its nodes, by full type */
	evaluate({ undici, httpRequest }: Network): {
		nodeTypes: Record<string, INodeType>;
		files: MemoryFiles;
	} {
		const files = new MemoryFiles();
		const loaded = new Map<string, { exports: object }>();
		const given: Record<string, object> = {
			'node:fs': files.fs,
			'node:fs/promises': files.promises,
			'node:zlib': zlib,
		};
		const load = (file: string): object => {
			const known = loaded.get(file);
			if (known) return known.exports;
			if (file.endsWith('/undici.js')) return undici;
			if (file.endsWith('.json')) return this.require(file) as object;
			const module = { exports: {} };
			loaded.set(file, module);
			const folder = dirname(file);
			const required = (name: string): unknown => {
				if (name in given) return simulated(name, given[name]!);
				if (name.startsWith('.')) return load(this.resolve(folder, name));
				return this.require(name);
			};
			this.compile(file)(
				module,
				module.exports,
				Object.assign(required, { resolve: this.require.resolve }),
				file,
				folder,
			);
			return module.exports;
		};
		const nodeTypes: Record<string, INodeType> = {};
		for (const file of this.files) {
			for (const NodeClass of Object.values(load(join(this.folder, file)))) {
				const node = new (NodeClass as new () => INodeType)();
				nodeTypes[`${this.name}.${node.description.name}`] = withHelper(node, httpRequest);
			}
		}
		return { nodeTypes, files };
	}

	private resolve(folder: string, name: string): string {
		return this.require.resolve(join(folder, name));
	}

	private compile(file: string): Factory {
		const known = this.compiled.get(file);
		if (known) return known;
		const source = readFileSync(file, 'utf8');
		const script = new Script(
			`(function (module, exports, require, __filename, __dirname) {${source}\n})`,
			{ filename: file },
		);
		const factory = script.runInThisContext() as Factory;
		this.compiled.set(file, factory);
		return factory;
	}
}

/** What the simulation lacks of a module ends the run: thrown at the package, it would pass for a failed request. */
function simulated(name: string, module: object): object {
	return new Proxy(module, {
		get(target, key) {
			const isAsked = typeof key === 'string' && !/^(__esModule|default|then)$/.test(key);
			if (isAsked && !(key in target))
				queueMicrotask(() => {
					throw new Error(`The simulation has no ${key} of ${name}`);
				});
			return Reflect.get(target, key) as unknown;
		},
	});
}

/** n8n's helpers, with requests that stay in memory. */
function withHelper(node: INodeType, httpRequest: Network['httpRequest']): INodeType {
	const { execute, supplyData } = node;
	if (execute) {
		node.execute = async function (response) {
			this.helpers.httpRequest = httpRequest;
			return await execute.call(this, response);
		};
	}
	if (supplyData) {
		node.supplyData = async function (itemIndex) {
			this.helpers.httpRequest = httpRequest;
			return await supplyData.call(this, itemIndex);
		};
	}
	return node;
}

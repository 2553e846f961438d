import { execFileSync, spawnSync } from 'node:child_process';
import {
	appendFileSync,
	cpSync,
	existsSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { globSync } from 'tinyglobby';
import { randomOf } from '../simulation/host/random';
import { compiler } from './compiles';
import { type Mutant, mutantsOf } from './draw';

const { values } = parseArgs({
	options: {
		seed: { type: 'string', default: '1' },
		count: { type: 'string', default: '200' },
		/** Only those whose kind or file contains this. */
		only: { type: 'string', default: '' },
		/** Names the mutants, and plays none. */
		list: { type: 'boolean', default: false },
	},
});

const ROOT = resolve(__dirname, '../..');
const OUTPUT = join(ROOT, 'mutants-output');
const RESULTS = join(OUTPUT, `results-${values.seed}.txt`);
/** A copy of the project: the mutants are put into its sources, one after the other. */
const COPY = join(OUTPUT, 'project');
/** A test or a scenario that hangs is a test that fails. */
const MOST_MS = 30 * 60_000;

const JEST = ['npx', 'jest', '--config', 'test/mutants/jest.config.js'];

/** Tests about the files of a folder that have neither its name nor theirs. */
const ABOUT: Record<string, string> = {
	'gateway/errors': 'serviceError|networkError|httpResponses|gateway/attempts',
	'gateway/limits': 'rateLimiter|fairQueuing|gateway/attempts',
	'gateway/schemas': 'test/interface|nodes/chat',
	'gateway/stream': 'nodes/chat',
	'nodes/ChatCompletion': 'nodes/chat/|nodes/items',
	'nodes/LmChatGenerationService': 'nodes/chatModel',
	'nodes/VideoGeneration': 'nodes/video',
	'nodes/shared/book': 'nodes/video|spendingLimit|customData|agentTools|bounds/nodes',
	'nodes/shared/durableWait': 'duringWait|resumedWait|waitsInMemory',
	'nodes/shared/editor': 'credentialTest',
	'nodes/shared/form': 'nodes/items|nodes/chat/',
	'nodes/shared/run': 'nodes/items',
};

const print = (text: string) => void process.stdout.write(`${text}\n`);

function main(): void {
	let survivors = 0;
	const mutants = draw(Number(values.seed), Number(values.count));
	if (!values.list) makeCopy();
	for (const [index, mutant] of mutants.entries()) {
		const { file, line, kind, from, to } = mutant;
		const change = `${kind}: ${inShort(from)} → ${inShort(to)}`;
		const what = `${index + 1}/${mutants.length} ${file}:${line} ${change}`;
		if (values.list) {
			print(what);
			continue;
		}
		const found = foundBy(mutant);
		if (found === undefined) survivors += 1;
		const result = `${what}: ${found ?? 'SURVIVES'}`;
		print(result);
		appendFileSync(RESULTS, `${result}\n`);
	}
	if (!values.list) print(`${mutants.length - survivors} of ${mutants.length} found`);
}

/** Mutants that compile. A seed has one order of them: a larger count begins with those of a smaller one. */
function draw(seed: number, count: number): Mutant[] {
	const random = randomOf(seed);
	const files = globSync(['gateway/**/*.ts', 'nodes/**/*.ts'], { cwd: ROOT }).sort();
	const all = files
		.flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')))
		.filter(({ kind, file }) => `${kind} ${file}`.includes(values.only));
	const kinds = [...new Set(all.map(({ kind }) => kind))];
	let left = kinds.map((kind) => all.filter((each) => each.kind === kind));
	const compiles = compiler(ROOT);
	const drawn: Mutant[] = [];
	while (drawn.length < count && left.length > 0) {
		// Each kind as often as another: operators and conditions are many, an `await` is rare.
		const ofKind = left[Math.floor(random() * left.length)] ?? [];
		const chosen = ofKind.splice(Math.floor(random() * ofKind.length), 1);
		drawn.push(...chosen.filter(compiles));
		left = left.filter(({ length }) => length > 0);
	}
	return drawn;
}

function makeCopy(): void {
	rmSync(COPY, { recursive: true, force: true });
	const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
	const names = execFileSync('git', listed, { cwd: ROOT, encoding: 'utf8' }).split('\0');
	for (const name of names.filter((each) => each !== '' && existsSync(join(ROOT, each))))
		cpSync(join(ROOT, name), join(COPY, name));
	symlinkSync(join(ROOT, 'node_modules'), join(COPY, 'node_modules'));
	const failed = failureOf(JEST);
	if (failed !== undefined) throw new Error(`Fails without a mutant: ${failed}`);
}

/** What notices the mutant: the tests about its file and its folder, the other tests, or the simulation. */
function foundBy({ file, text }: Mutant): string | undefined {
	const path = join(COPY, file);
	const source = readFileSync(path, 'utf8');
	writeFileSync(path, text);
	try {
		const folder = dirname(file);
		const about = [basename(file, '.ts'), basename(folder), ABOUT[folder]].filter(Boolean);
		const near = `project/test/.*(${about.join('|')})`;
		// What only the verified build has is met by its tests.
		const verified = ['npx', 'jest', '--config', 'test/verified/jest.config.js', '--bail'];
		return (
			failureOf([...JEST, '--passWithNoTests', '--testPathPatterns', near]) ??
			failureOf(file.startsWith('gateway/verified/') ? verified : JEST) ??
			failureOf(['npx', 'gulp', 'build', 'build:verified']) ??
			failureOf(['npx', 'tsx', 'test/simulation/main.ts', '--check'])
		);
	} finally {
		writeFileSync(path, source);
	}
}

/** The first test, or scenario, that fails. */
function failureOf([command = '', ...args]: string[]): string | undefined {
	const ended = spawnSync(command, args, { cwd: COPY, encoding: 'utf8', timeout: MOST_MS });
	if (ended.status === 0) return undefined;
	const [failed] = /● .*|.* breaks ".*/.exec(ended.stderr) ?? [];
	return failed ?? `${args.slice(0, 2).join(' ')} fails`;
}

function inShort(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > 90 ? `${line.slice(0, 88)}…` : line;
}

main();

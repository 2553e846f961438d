import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sends } from '../../simulator/faults/field';

const FILES = join(__dirname, 'files');

const text = z.string().min(1);
const fields = z.record(z.string(), z.json());

/** What comes out. Each object has the fields that are named; the words are looked for in any case. */
const outcome = z.strictObject({
	/** Of the first item, simplified. */
	item: fields.optional(),
	/** Of the first item with Simplify off. */
	raw: fields.optional(),
	/** Of the error item's `error`. */
	error: fields.optional(),
	/** Words of the error's message or description. */
	says: z.array(text).optional(),
	/** What neither the error nor a hint says. */
	never: z.array(text).optional(),
	/** Words of a hint above the output. */
	hint: z.array(text).optional(),
	/** The number of items. */
	items: z.int().optional(),
	/** The IDs of the models. */
	ids: z.array(z.string()).optional(),
	/** Of the downloaded file. */
	file: fields.optional(),
	/** The requests that the service got: a poll more, or a second submission, is no detail. */
	requests: z.record(z.string(), z.int()).optional(),
});
export type Outcome = z.infer<typeof outcome>;

/** A file of `files/`: what a real service sent once, and what must come out of the nodes. */
const fieldCase = z.strictObject({
	/** Where it was reported. */
	source: z.url({ protocol: /^https$/ }),
	/** The kind of gateway that sent it. */
	gateway: text,
	/** The class of oddity, the same words in each file of the class: a row of docs/compatibility.md. */
	kind: text,
	sends,
	/** Parameters of the node. */
	with: fields.default({}),
	expect: z
		.strictObject({
			/** Of Chat Completion without Stream; with it, and of the chat model, where these do not follow. */
			chat: outcome,
			streamed: outcome,
			/** `item` has `text`, and `tool_calls` as n8n's agents read them. */
			model: outcome,
			models: outcome,
			submit: outcome,
			generate: outcome,
			get: outcome,
		})
		.partial(),
});
export type FieldCase = z.infer<typeof fieldCase>;

/** The files, by their names without `.json`. */
export const CORPUS: ReadonlyArray<readonly [name: string, field: FieldCase]> = readdirSync(FILES)
	.sort()
	.map((file) => [
		file.replace(/\.json$/, ''),
		fieldCase.parse(JSON.parse(readFileSync(join(FILES, file), 'utf8'))),
	]);

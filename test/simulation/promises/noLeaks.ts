import { dataOf, type Row } from '../play/rows';
import type { Promised } from './promise';
import { ancestry, errorItems, submittedBy } from './evidence';
import type { Played } from '../play/played';

/** The sub-workflows that an execution called, and their retries. */
function calledBy(parent: string, rows: Row[]): string[] {
	return rows
		.filter((row) => ancestry(row, rows).some((each) => each.parent?.executionId === parent))
		.map(({ id }) => id);
}

// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f]/;

/** Hosts other than the service's own that were sent the key, and files that were asked for with it. */
function sentElsewhere({ truth, keys }: Played): string[] {
	const hosts = truth.elsewhere.flatMap(({ url, headers }) =>
		keys.some((key) => JSON.stringify(headers).includes(key)) ? [`the key is sent to ${url}`] : [],
	);
	const files = truth.requests.flatMap(({ endpoint, hasKey, path }) =>
		endpoint === 'download' && hasKey ? [`the key is sent with the download of ${path}`] : [],
	);
	return [...hosts, ...files];
}

const MAX_CODE = 100;
// eslint-disable-next-line no-control-regex
const NOT_IN_A_CODE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

/** A code of the service is one line of at most 100 characters. */
function longCodes(played: Played): string[] {
	return errorItems(played).flatMap(({ error: { code }, row, node }) =>
		String(code).length > MAX_CODE || NOT_IN_A_CODE.test(String(code))
			? [`execution ${row.id}, ${node.name}: the code of an error is ${JSON.stringify(code)}`]
			: [],
	);
}

/** In the errors of a run in the editor. */
const STOPPED_BEFORE =
	/(?:A run of this workflow that was stopped paid for|To get \w+ without paying again, add a second Video Generation node, not connected) .*/g;

/** What n8n stored of an execution; of a run in the editor, and of its Retry, without what it says of a run that was stopped. */
function textOf(row: Row, rows: Row[]): string {
	const isOfEditor = ancestry(row, rows).some(({ mode }) => mode === 'manual');
	return JSON.stringify(dataOf(row), (name, value: unknown) => {
		if (!isOfEditor) return value;
		if (name === 'hints') return [];
		return typeof value === 'string' ? value.replace(STOPPED_BEFORE, '') : value;
	});
}

/** Of a key: no other text has them. */
const PIECE = 10;

/** No key anywhere, no control characters in the log, no data of one execution in another. */
export const noLeaks: Promised = {
	name: 'Nothing leaks',
	says: 'No key (as it is, JSON-escaped or percent-encoded) and no control character is in an item, an error or the log, and nothing of another execution. What the service says around the key stays.',
	except: [
		'A key in another form and [a short key](../SECURITY.md#what-the-nodes-promise) stay.',
		'In the editor, the tasks of an earlier run of the workflow that was stopped are named.',
	],
	alsoKeptBy: ['test/gateway/echoedKey.test.ts'],
	check(played) {
		const { rows, log, thrown, keys } = played;
		const places = [
			...rows.map((row) => ({ where: `the data of execution ${row.id}`, text: row.data })),
			...log.map(({ text }) => ({ where: 'the log', text })),
			...thrown.map((error) => ({
				where: 'an error',
				text: `${error.message} ${error.description}`,
			})),
		];
		const pieces = keys.flatMap((key) => [key.slice(0, PIECE), key.slice(-PIECE)]);
		const leaks = places.flatMap(({ where, text }) =>
			pieces.some((piece) => text.includes(piece)) ? [`a part of a key is in ${where}`] : [],
		);
		const forged = log.flatMap(({ text }) =>
			CONTROL.test(text) ? [`a control character is in the log: ${JSON.stringify(text)}`] : [],
		);
		const stored = rows.map((row) => ({ row, text: textOf(row, rows) }));
		const strange = [...submittedBy(played)].flatMap(([id, execution]) =>
			stored.flatMap(({ row, text }) => {
				if (!text.includes(id)) return [];
				const own = ancestry(row, rows).flatMap(({ id }) => [id, ...calledBy(id, rows)]);
				if (own.includes(execution)) return [];
				return [`task ${id} of execution ${execution} is in the data of execution ${row.id}`];
			}),
		);
		return [...leaks, ...forged, ...strange, ...sentElsewhere(played), ...longCodes(played)];
	},
};

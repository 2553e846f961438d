import { dataOf, type Row } from '../play/rows';
import type { Promised } from './promise';
import { ancestry, submittedBy } from './evidence';

/** The sub-workflows that an execution called, and their retries. */
function calledBy(parent: string, rows: Row[]): string[] {
	return rows
		.filter((row) => ancestry(row, rows).some((each) => each.parent?.executionId === parent))
		.map(({ id }) => id);
}

// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f]/;

/** No key anywhere, no control characters in the log, no data of one execution in another. */
export const noLeaks: Promised = {
	name: 'Nothing leaks',
	says: 'No key and no control character is in an item, an error or the log, and nothing of another execution.',
	except: [
		'A key of fewer than 16 characters stays in good responses, because it may be a word; one of fewer than 4 stays in errors, too.',
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
		const leaks = places.flatMap(({ where, text }) =>
			keys.some((key) => text.includes(key)) ? [`a key is in ${where}`] : [],
		);
		const forged = log.flatMap(({ text }) =>
			CONTROL.test(text) ? [`a control character is in the log: ${JSON.stringify(text)}`] : [],
		);
		const strange = [...submittedBy(played)].flatMap(([id, execution]) =>
			rows.flatMap((row) => {
				const own = ancestry(row, rows).flatMap(({ id }) => [id, ...calledBy(id, rows)]);
				const isOwn = own.includes(execution);
				if (isOwn || !JSON.stringify(dataOf(row)).includes(id)) return [];
				return [`task ${id} of execution ${execution} is in the data of execution ${row.id}`];
			}),
		);
		return [...leaks, ...forged, ...strange];
	},
};

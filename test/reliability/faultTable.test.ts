import { casesOf, UNLISTED_FAULTS, ROWS } from './faultTable';
import { ERROR_TEXTS, textNameOf } from './messages';

test('every fault is in a row and is tested', () => {
	expect(UNLISTED_FAULTS).toEqual([]);
	const tested = ROWS.flatMap(casesOf).map(({ fault }) => fault);
	expect(ROWS.flatMap(({ faults }) => faults).filter((fault) => !tested.includes(fault))).toEqual(
		[],
	);
});

test('every message is that of an error in a row', () => {
	const errors = ROWS.flatMap(casesOf).flatMap(({ once, always }) => [once, always]);
	const used = errors.map(({ code, status }) => code && textNameOf(code, status));
	expect(Object.keys(ERROR_TEXTS).filter((name) => !used.includes(name))).toEqual([]);
});

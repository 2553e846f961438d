import type { Played } from '../play/play';
import { ends } from './ends';
import { fair } from './fair';
import { isTrue } from './true';
import { named } from './named';
import { noLeaks } from './noLeaks';
import { nothingLeft } from './nothingLeft';
import { paidOnce } from './paidOnce';
import { polite } from './polite';
import type { Promised } from './promise';
import { right } from './right';

export const PROMISES: readonly Promised[] = [
	paidOnce,
	named,
	isTrue,
	right,
	ends,
	fair,
	polite,
	nothingLeft,
	noLeaks,
];

export interface Broken {
	promise: string;
	how: string[];
}

/** Which promises a life broke. */
export function judge(played: Played): Broken[] {
	if (played.unfinished !== undefined && played.unfinished !== 'nothing is left to happen')
		return [];
	return PROMISES.flatMap(({ name, check }) => {
		const how = check(played);
		return how.length === 0 ? [] : [{ promise: name, how }];
	});
}

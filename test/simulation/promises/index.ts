import type { Played } from '../play/played';
import { asked } from './asked';
import { delivered } from './delivered';
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
import { told } from './told';

export const PROMISES: readonly Promised[] = [
	paidOnce,
	told,
	delivered,
	named,
	isTrue,
	asked,
	right,
	ends,
	fair,
	polite,
	nothingLeft,
	noLeaks,
];

/** What a scenario that was given up has broken by then, it has broken for good. */
const UPPER_BOUNDS: readonly Promised[] = [paidOnce, ends, polite];

export interface Broken {
	promise: string;
	how: string[];
}

/** Which promises a scenario broke. */
export function judge(played: Played): Broken[] {
	const isCutShort =
		played.unfinished !== undefined && played.unfinished !== 'nothing is left to happen';
	return (isCutShort ? UPPER_BOUNDS : PROMISES).flatMap(({ name, check }) => {
		const how = check(played);
		return how.length === 0 ? [] : [{ promise: name, how }];
	});
}

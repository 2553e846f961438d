import { PROMISES } from '../simulation/promises';
import { sameEverywhere } from '../simulation/promises/sameEverywhere';
import { table, withGenerated } from './table';

const link = (path: string) => `[${path.split('/').at(-1)}](../${path})`;

/** docs/promises.md with its table written again. */
export function promisesPage(page: string): string {
	const rows = [...PROMISES, sameEverywhere].map(({ name, says, except, alsoKeptBy }) => [
		`**${name}**`,
		says,
		except.join('<br>'),
		alsoKeptBy.map(link).join(', '),
	]);
	return withGenerated(page, 'promises', table(['', 'Promise', 'Except', 'Also tested by'], rows));
}

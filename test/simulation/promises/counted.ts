import { hintCounts } from './hintCounts';
import { logCounts } from './logCounts';
import { inMemory } from './waits';
import type { Promised } from './promise';

/** Whatever a hint above the output or a line of the log counts or names. */
export const counted: Promised = {
	name: 'Counted',
	says: 'Hints and log lines name the tasks and count the items, answers, tokens and videos that they are about, neither more nor fewer. The debug log has each request, with its outcome and its time. A wait is in the database where n8n can keep it there; elsewhere a hint says why not.',
	except: [
		'A line that is due in the moment of a crash is not written.',
		"A wait in the database in which the host's clock is set back goes on in memory, as one that n8n resumed too early.",
	],
	alsoKeptBy: ['test/nodes/items/runHints.test.ts', 'test/nodes/video/told.test.ts'],
	check: (played) => [...hintCounts(played), ...logCounts(played), ...inMemory(played)],
};

import { NoResponseError } from '../../gateway';
import { pauseAfter } from '../../gateway/limits/retryPolicy';

const lost = new NoResponseError('The connection broke', {
	code: 'connection_lost',
	advice: '',
	mayHaveBeenAccepted: false,
});

test.each([
	['shortest', 0, [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]],
	['longest', 1, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]],
])(
	'the pauses between retries grow, and none is zero, when jitter makes them %s',
	(_, chance, all) => {
		expect(all.map((_pause, attempt) => pauseAfter(lost, attempt, () => chance))).toEqual(all);
	},
);

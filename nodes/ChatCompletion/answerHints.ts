import type { ChatCompletion } from '../../gateway';
import type { RunHints } from '../shared/form/hints';

/** Notes that an answer is not all of it, which is easily overlooked among many items. */
export function notePartialAnswer(
	hints: RunHints,
	{ choices }: ChatCompletion,
	simplify: boolean,
): void {
	const ended = choices.map(({ finish_reason }) => finish_reason);
	if (ended.includes('length'))
		hints.note(
			'cut off (finish_reason: length). Increase Max Tokens if it is set, or ask for a shorter answer.',
		);
	if (ended.includes('content_filter'))
		hints.note("cut off by the service's content filter (finish_reason: content_filter).");
	if (simplify && choices.length > 1)
		hints.note('the first of several choices. Turn off Simplify to see them all.');
}

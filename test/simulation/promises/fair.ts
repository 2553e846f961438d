import type { Played } from '../play/play';
import type { TruthRequest } from '../service';
import type { Promised } from './promise';

/** A shorter delay has other causes. */
const MIN_PAUSE_MS = 5_000;

/** A request waits only for limits of its own scope. */
export const fair: Promised = {
	name: 'Fair',
	check: (played) => pollsHeldByOthers(played),
};

/** In memory each task is polled at its interval: a pause of submissions or chats must not hold that back. */
function pollsHeldByOthers({ life, truth, kills, suspended }: Played): string[] {
	if (kills.length > 0 || suspended.length > 0) return [];
	const isPollLimited = truth.requests.some(({ endpoint, limit }) => endpoint === 'poll' && limit);
	const video = life.nodes.filter(({ kind }) => kind === 'video');
	const [node] = video;
	if (isPollLimited || video.length !== 1 || node?.kind !== 'video') return [];
	const { pollInterval = 5, polling, waitIn } = node.wait ?? {};
	if (node.operation !== 'generate' || polling === 'adaptive' || waitIn === 'database') return [];
	const others = truth.requests.filter(
		({ limit, heardAt }) => limit !== undefined && heardAt !== undefined,
	);
	return [...truth.tasks.values()].flatMap(({ id }) => {
		const polls = truth.requests.filter(
			({ taskId, endpoint }) => taskId === id && endpoint === 'poll',
		);
		return polls.slice(1).flatMap((poll, index) => {
			const before = polls[index] as TruthRequest;
			const gap = poll.sentAt - (before.endedAt ?? before.at);
			const late = gap - pollInterval * 1000;
			if (late < MIN_PAUSE_MS || before.status !== 200) return [];
			const cause = others.find(
				({ heardAt = 0, pauseUntil = 0 }) =>
					heardAt < poll.sentAt && pauseUntil > (before.endedAt ?? 0) + pollInterval * 1000,
			);
			return cause
				? [
						`a poll of ${id} came ${Math.round(late / 1000)} s late: it waited for a limit of ${cause.endpoint} (${cause.limit})`,
					]
				: [];
		});
	});
}

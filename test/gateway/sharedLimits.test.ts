import { JointLimit, type Sender } from '../../gateway/limits/jointLimit';
import { SharedLimits } from '../../gateway/limits/sharedLimits';
import { VirtualClock } from '../clock/virtualClock';

let clock: VirtualClock;
let limits: SharedLimits;
let chats: Sender;
let videos: Sender;

beforeEach(() => {
	clock = new VirtualClock();
	limits = new SharedLimits(clock);
	chats = sender();
	videos = sender();
});

function sender(): Sender {
	const waitsForNothing = { isQueueEmpty: true, isReady: false, sendNext() {} };
	const created = { ...waitsForNothing, limit: new JointLimit(clock, []) };
	created.limit.senders.add(created);
	return created;
}

function send({ limit }: Sender) {
	limit.msUntilNext();
	return limit.estimator.send(clock.now(), true);
}

const take = (from: Sender) => limits.accept(from, send(from));
const refuse = (from: Sender, pause = 1_000, older = 0) =>
	limits.refuse(from, send(from), pause, older);

/** A scope is refused after each pause. */
function refuseAgainAndAgain(from: Sender, meanwhile = () => {}, pause = 1_000, older = 0) {
	for (let times = 0; times < 4; times += 1) {
		refuse(from, pause, older);
		clock.advance(pause - 100);
		meanwhile();
		clock.advance(200);
	}
}

const areJoined = () => chats.limit === videos.limit;

function join() {
	refuse(chats);
	refuseAgainAndAgain(videos, () => take(chats));
	expect(areJoined()).toBe(true);
}

test('a scope that is refused after each pause shares the limit of the one that is taken meanwhile', () => {
	join();
});

test.each<[string, () => void]>([
	['was never refused', () => refuseAgainAndAgain(videos, () => take(chats))],
	[
		'is not taken either',
		() => {
			take(chats);
			refuse(chats);
			refuseAgainAndAgain(videos);
		},
	],
	[
		'is taken in a long pause',
		() => {
			refuse(chats);
			refuseAgainAndAgain(videos, () => take(chats), 2_000);
		},
	],
	[
		'is taken while the service works on older requests',
		() => {
			refuse(chats);
			refuseAgainAndAgain(videos, () => take(chats), 1_000, 1);
		},
	],
	[
		'is taken in turn with it',
		() => {
			refuse(chats);
			refuseAgainAndAgain(videos, () => {
				take(chats);
				take(videos);
			});
		},
	],
])('a scope does not share the limit of one that %s', (_case, play) => {
	play();
	expect(areJoined()).toBe(false);
});

test('scopes part where one is refused although they take turns, and are not joined again until they were idle', () => {
	join();
	refuseAgainAndAgain(videos, () => take(chats));
	expect(areJoined()).toBe(false);
	refuse(chats);
	refuseAgainAndAgain(videos, () => take(chats));
	expect(areJoined()).toBe(false);
	limits.forget(chats);
	limits.forget(videos);
	join();
});

test('a long pause of one scope parts them before it holds the others', () => {
	join();
	clock.advance(2_000);
	refuse(videos, 200_000);
	expect(areJoined()).toBe(false);
	expect(videos.limit.msUntilNext()).toBeGreaterThan(100_000);
	expect(chats.limit.msUntilNext()).toBe(0);
});

test('scopes of a limit take turns', () => {
	const sent: string[] = [];
	const waiting = { chat: 3, video: 2 };
	const queued = (kind: keyof typeof waiting): Sender => ({
		limit: chats.limit,
		isQueueEmpty: false,
		get isReady() {
			return waiting[kind] > 0;
		},
		sendNext() {
			waiting[kind] -= 1;
			sent.push(kind);
		},
	});
	new JointLimit(clock, [queued('chat'), queued('video')]).admit(false);
	expect(sent).toEqual(['chat', 'video', 'chat', 'video', 'chat']);
});

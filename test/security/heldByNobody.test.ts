import { CancelledError } from '../../gateway';
import { VirtualClock } from '../clock/virtualClock';
import { gatewayAt, slowResponses } from '../gateway/inMemory';

// What lives in the process is held by nobody: the service of one user delays no request of another.

const MiB = 1024 * 1024;

const videoTask = (mebibytes: number) =>
	JSON.stringify({ id: 't', status: 'completed', b64_json: 'QUJD'.repeat((mebibytes * MiB) / 4) });

/** A service whose responses arrive in these parts, a second apart. */
function serviceOf(
	clock: VirtualClock,
	name: string,
	partOf: (index: number) => string | undefined,
) {
	const transport = slowResponses(clock, 1_000, partOf);
	return gatewayAt(`http://${name}.test`, { clock, transport });
}

test('a large inline video that arrives a byte a second, for ever, delays the video of nobody else', async () => {
	const clock = new VirtualClock();
	const [begun, rest] = [videoTask(4).slice(0, 3 * MiB), 'QUJD'];
	const slow = serviceOf(clock, 'slow', (index) => (index === 0 ? begun : rest[index % 4]!));
	const quick = serviceOf(clock, 'quick', (index) => (index === 0 ? videoTask(4) : undefined));
	const stop = new AbortController();
	const held = Array.from({ length: 10 }, async () => {
		await slow.getVideoTask('t', stop.signal, () => {}).catch((error: unknown) => error);
	});
	clock.advance(10_000);
	const start = clock.now();
	const videos: number[] = [];
	await clock.run(quick.getVideoTask('t', undefined, (video) => videos.push(video.length)));
	expect(videos).toEqual([3 * MiB]);
	expect(clock.now() - start).toBeLessThan(5_000);
	stop.abort(new CancelledError());
	await Promise.all(held);
});

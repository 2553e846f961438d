import { createServer, type RequestListener } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startSimulator } from '../../simulator';
import { listen } from '../engine/localServer';
import { runNode } from '../engine/runNode';
import { videoNode } from '../nodes/video/videoNode';

const MiB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The bytes of all reachable buffers. */
function bufferBytes(): number {
	// The first may only finish a collection that V8 had started. The second frees what became unreachable since.
	collectGarbage();
	collectGarbage();
	return process.memoryUsage().arrayBuffers;
}

/** Downloads a video from a server other than the service. */
async function downloadFrom(respond: RequestListener) {
	const server = createServer(respond);
	const redirectTarget = `http://${await listen(server)}`;
	const service = await startSimulator({ videoSeconds: 0.01, redirectTarget });
	service.inject({ endpoint: 'download', fault: 'redirect-302' });
	const { items } = await runNode(service, {
		...videoNode({ download: true }),
		onError: 'continueRegularOutput',
	});
	server.closeAllConnections();
	server.close();
	await service.close();
	return items[0];
}

test('downloading a large video keeps only a small part of it in memory', async () => {
	const before = bufferBytes();
	const held: number[] = [];
	const item = await downloadFrom((_request, response) => {
		response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': String(48 * MiB) });
		const piece = Buffer.alloc(MiB / 4, 1);
		const video = function* () {
			for (let sent = 0; sent < 48 * MiB; sent += piece.length) {
				if (sent % (16 * MiB) === 0) held.push(bufferBytes() - before);
				yield piece;
			}
		};
		pipeline(Readable.from(video()), response, () => {});
	});
	expect(item?.binary?.data?.bytes).toBe(48 * MiB);
	expect(held).toHaveLength(3);
	expect(Math.max(...held)).toBeLessThan(8 * MiB);
});

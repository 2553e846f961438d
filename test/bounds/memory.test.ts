import { createServer } from 'node:http';
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

test('downloading a large video keeps only a small part of it in memory', async () => {
	const before = bufferBytes();
	const held: number[] = [];
	const server = createServer((_request, response) => {
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
	const redirectTarget = `http://${await listen(server)}`;
	const service = await startSimulator({ videoSeconds: 0.01, redirectTarget });
	service.inject({ endpoint: 'download', fault: 'redirect-302' });
	const { items } = await runNode(service, videoNode({ download: true }));
	server.closeAllConnections();
	server.close();
	await service.close();
	expect(items[0]?.binary?.data?.bytes).toBe(48 * MiB);
	expect(held).toHaveLength(3);
	expect(Math.max(...held)).toBeLessThan(8 * MiB);
});

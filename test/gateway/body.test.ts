import { createGunzip, gzipSync } from 'node:zlib';
import { Body, StreamedBody } from '../../gateway/http/body';
import { until } from '../clock/until';

/** A decompressed body with several chunks in its buffer. */
async function bufferedBody() {
	const decoder = createGunzip();
	const bytes = gzipSync('a word '.repeat(20_000), { level: 0 });
	for (let at = 0; at < bytes.length; at += 4_000) decoder.write(bytes.subarray(at, at + 4_000));
	decoder.end();
	await until(() => decoder.readableLength > 16_000);
	return decoder;
}

test('a body emits no more chunks after its reader throws', async () => {
	const body = new StreamedBody(await bufferedBody());
	const read = jest.fn(() => {
		throw new Error('The reader failed');
	});
	await expect(body.read(read)).rejects.toThrow('The reader failed');
	expect(read).toHaveBeenCalledTimes(1);
});

test('a body emits no more chunks after it is destroyed', async () => {
	const body = new StreamedBody(await bufferedBody());
	const read = jest.fn(() => body.destroy());
	await expect(body.read(read)).rejects.toThrow('no longer read');
	expect(read).toHaveBeenCalledTimes(1);
});

test('a body that cannot be held is given up when 256 MiB of it wait for their reader', () => {
	const abort = jest.fn();
	const body = new Body({ hold: () => {}, release: () => {}, end: () => {}, abort });
	const part = Buffer.alloc(64 * 1024 * 1024);
	for (let parts = 0; parts < 4; parts += 1) body.arrive(part);
	const reading = body.read(async () => await new Promise(() => {}));
	body.arrive(part);
	expect(abort).not.toHaveBeenCalled();
	body.arrive(part);
	expect(abort).toHaveBeenCalledTimes(1);
	void reading.catch(() => {});
});

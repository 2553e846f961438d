import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { createGunzip, gzipSync } from 'node:zlib';
import { readBody, StreamedBody } from '../../gateway/http/body';
import { until } from '../clock/until';
import { COMPLETION, stubbedGateway } from './inMemory';
import { chat } from './limitedNodes';

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

test('other executions have their turn before a long response is parsed, and after it', async () => {
	const turnsOf = async (length: number) => {
		const packets = [Buffer.from(JSON.stringify({ ...COMPLETION, more: 'x'.repeat(length) }))];
		let isRead = false;
		void chat(stubbedGateway({ packets })).then(() => (isRead = true));
		let turns = 0;
		for (; !isRead; turns += 1) await turn();
		return turns;
	};
	expect((await turnsOf(5 * 1024 * 1024)) - (await turnsOf(100))).toBe(2);
});

test.each([
	[8, true],
	[9, false],
	[20, false],
])(
	'of a body of %i bytes that came before its reader, up to 8 are read: all: %j',
	async (...row) => {
		const [size, complete] = row;
		const pieces = Buffer.alloc(size, 'body')
			.toString()
			.match(/.{1,4}/g)!;
		const readable = Readable.from(pieces.map((piece) => Buffer.from(piece)));
		const body = new StreamedBody(readable);
		await once(readable, 'close');
		const bytes = Buffer.alloc(Math.min(size, 8), 'body');
		expect(await readBody(body, 8, () => {})).toEqual({ bytes, complete });
	},
);

test('a body whose stream is closed before its end is incomplete', async () => {
	const readable = new Readable({ read: () => {} });
	const reading = new StreamedBody(readable).read(() => {});
	readable.destroy();
	await expect(reading).rejects.toThrow('broke off');
});

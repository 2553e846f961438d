import { openInlineVideoFile } from '../../gateway/cloud/inlineVideoMemory';

test('an inline video that finds no room beside others can be polled again', async () => {
	const video = Buffer.alloc(1024 ** 2, 'a video');
	const store = async () => await openInlineVideoFile(video.length);
	const [one, other] = [await store(), await store()];
	one.write(video);
	expect(() => other.write(video)).toThrow(
		expect.objectContaining({
			code: 'storage_failed',
			transient: true,
			mayHaveBeenAccepted: false,
			technical: 'All inline videos together may take 1 MiB.',
		}),
	);
	expect(one.read()).toEqual(video);
	await one.remove();
	other.write(video);
	await other.remove();
});

test('an inline video that is too large for memory is a clear error', async () => {
	const store = await openInlineVideoFile();
	expect(() => store.write(Buffer.alloc(256 * 1024 ** 2 + 1))).toThrow(
		expect.objectContaining({
			message: 'The inline video is too large for the memory of n8n',
			technical: 'More than 256 MiB. Ask for a URL as Response Format.',
		}),
	);
});

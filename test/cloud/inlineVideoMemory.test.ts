import { openInlineVideoFile } from '../../gateway/cloud/inlineVideoMemory';

test('an inline video that finds no room beside others can be polled again', async () => {
	const video = Buffer.from('a video');
	const store = async () => await openInlineVideoFile(1.5 * video.length);
	const [one, other] = [await store(), await store()];
	one.write(video);
	expect(() => other.write(video)).toThrow(
		expect.objectContaining({ code: 'storage_failed', transient: true }),
	);
	expect(one.read()).toEqual(video);
	await one.remove();
	other.write(video);
	await other.remove();
});

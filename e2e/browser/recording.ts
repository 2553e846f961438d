import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { OUTPUT } from './screenshots';

/** Wide enough to read the editor on GitHub's and npm's pages. */
const WIDTH = 1200;
const FRAMES_PER_SECOND = 8;
/** A page that changes as a user works, or loads: a slow machine does not make the recording longer. */
const STEP_SECONDS = 0.1;
/** How long the last frame is shown before the recording repeats. */
const LAST_SECONDS = 2;

/** A headless browser does not show the pointer. */
const POINTER = `addEventListener('DOMContentLoaded', () => {
	const pointer = document.createElement('div');
	pointer.innerHTML = '<svg width="22" height="22" viewBox="0 0 24 24"><path d="M4 2l15 11-7 1-4 7z" fill="#111" stroke="#fff" stroke-width="1.5"/></svg>';
	pointer.style.cssText = 'position:fixed;z-index:99999;pointer-events:none;left:-30px;top:0';
	document.body.append(pointer);
	addEventListener('mousemove', ({ clientX, clientY }) => {
		pointer.style.left = clientX - 3 + 'px';
		pointer.style.top = clientY - 2 + 'px';
	}, true);
});`;

/** Records a page as an animated WebP. */
export class Recording {
	private frames = 0;
	private times: number[] = [];
	/** How long each frame is shown at most, in seconds. */
	private longest: number[] = [];
	private now: 'short' | 'real' | 'skipped' = 'short';
	private skipped: [frame: Buffer, time: number] | undefined;
	private writing: Promise<unknown> = Promise.resolve();

	private constructor(
		private readonly session: CDPSession,
		private readonly folder: string,
	) {}

	/** Call this before the page is loaded. */
	static async showPointer(page: Page): Promise<void> {
		await page.addInitScript(POINTER);
	}

	static async start(page: Page): Promise<Recording> {
		const session = await page.context().newCDPSession(page);
		const recording = new Recording(session, await mkdtemp(join(tmpdir(), 'recording-')));
		session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
			recording.add(Buffer.from(data, 'base64'), metadata.timestamp ?? 0);
			session.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
		});
		await session.send('Page.startScreencast', { format: 'png', everyNthFrame: 1 });
		return recording;
	}

	/** Shows the page for as long as it really is shown: to be read, or to play a video. */
	async hold(watched: Promise<unknown>): Promise<void> {
		await this.during('real', watched);
	}

	/** Leaves out a wait, with its spinners. */
	async skip(work: Promise<unknown>): Promise<void> {
		await this.during('skipped', work);
	}

	private async during(now: 'real' | 'skipped', work: Promise<unknown>): Promise<void> {
		if (now === 'real') this.longest[this.frames - 1] = Infinity;
		this.now = now;
		await work.finally(() => (this.now = 'short'));
		const last = this.frames - 1;
		if (now === 'real') this.longest[last] = Date.now() / 1000 - (this.times[last] ?? 0);
		// The page may be as it is then.
		if (this.skipped) this.add(...this.skipped);
	}

	/** @returns the path of the file, or why there is none */
	async save(name: string): Promise<string> {
		await this.session.send('Page.stopScreencast');
		try {
			await this.writing;
			await writeFile(join(this.folder, 'frames'), this.frameList());
			await mkdir(OUTPUT, { recursive: true });
			return this.encode(join(OUTPUT, `${name}.webp`));
		} finally {
			await rm(this.folder, { recursive: true, force: true });
		}
	}

	private add(frame: Buffer, time: number): void {
		this.skipped = this.now === 'skipped' ? [frame, time] : undefined;
		if (this.skipped) return;
		const path = join(this.folder, `${this.frames}.png`);
		this.frames += 1;
		this.times.push(time);
		this.longest.push(this.now === 'real' ? Infinity : STEP_SECONDS);
		this.writing = this.writing.then(async () => await writeFile(path, frame));
	}

	/** The frames and their durations, in the format of ffmpeg. A page without changes sends no frames. */
	private frameList(): string {
		return this.times
			.map((time, index) => {
				// Chromium may send two frames in the wrong order.
				const lasted = (this.times[index + 1] ?? time + LAST_SECONDS) - time;
				const seconds = Math.min(Math.max(0, lasted), this.longest[index] ?? Infinity);
				return `file '${index}.png'\nduration ${seconds.toFixed(3)}`;
			})
			.concat(`file '${this.frames - 1}.png'`)
			.join('\n');
	}

	private encode(file: string): string {
		const filter = `fps=${FRAMES_PER_SECOND},scale=${WIDTH}:-2:flags=lanczos`;
		const input = ['-f', 'concat', '-i', join(this.folder, 'frames')];
		const output = ['-vf', filter, '-c:v', 'libwebp_anim', '-quality', '75', '-loop', '0', file];
		const { error, status, stderr } = spawnSync(
			'ffmpeg',
			['-y', '-loglevel', 'error', ...input, ...output],
			{ encoding: 'utf8' },
		);
		if (error !== undefined) return `No recording: ffmpeg is not installed (${error.message})`;
		if (status !== 0) throw new Error(`ffmpeg: ${stderr}`);
		return file;
	}
}

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/*
 * Draws the clips in `assets` anew, or those that are named: `npx tsx simulator/video/drawScenes.ts autumn`, with Chromium
 * (CHROMIUM_PATH) and ffmpeg.
 * Each is a loop of two seconds, and one closed group of pictures without B-frames, as `mp4.ts` needs it.
 */

const FRAMES = 60;
const SIZES = { '480p': [854, 480], '720p': [1280, 720], '1080p': [1920, 1080] } as const;

/** A scene of 1600 × 900 as SVG. `t` goes from 0 to 1; `wave` is a sine with whole periods, so that the loop has no seam. */
type Scene = (t: number, wave: (periods: number, shift?: number) => number) => string;

const hills = (color: string, y: number, height: number, shift: number) =>
	`<path fill="${color}" d="M0 900V${y}${Array.from({ length: 33 }, (_, i) => `L${i * 50} ${y - height * (1 + Math.sin(i * 0.55 + shift) * 0.6 + Math.sin(i * 0.21 + shift * 2) * 0.4)}`).join('')}V900Z"/>`;

const water = (color: string, y: number, size: number, phase: number) =>
	`<path fill="${color}" d="M0 900V${y}${Array.from({ length: 81 }, (_, i) => `L${i * 20} ${y + size * Math.sin(i * 0.3927 + phase * 2 * Math.PI)}`).join('')}V900Z"/>`;

const sky = (...colors: string[]) =>
	`<defs><linearGradient id="s" x2="0" y2="1">${colors.map((color, i) => `<stop offset="${i / (colors.length - 1)}" stop-color="${color}"/>`).join('')}</linearGradient></defs><rect width="1600" height="900" fill="url(#s)"/>`;

/** A leaf that falls once through the picture, from a place and with a sway of its own. */
const leaf = (i: number, t: number, wave: Parameters<Scene>[1]) => {
	const fallen = (t + i / 12) % 1;
	const x = ((i * 397) % 1600) + wave(1, i / 7) * 60;
	return `<path fill="${['#c8502d', '#e0862f', '#d9a93a', '#a83a24'][i % 4]}" transform="translate(${x} ${fallen * 1040 - 70}) rotate(${i * 50 + wave(1, i / 5) * 60}) scale(${0.8 + (i % 3) * 0.25})" d="M0 -34Q30 -8 0 34Q-30 -8 0 -34ZM0 30L0 52"/>`;
};

const SCENES: Record<string, Scene> = {
	autumn: (t, wave) => `${sky('#c9d8de', '#f2e4c6', '#f3cf94')}
		<circle cx="420" cy="330" r="80" fill="#fff1cf"/>
		${hills('#c98f4e', 640, 70, 1)}${hills('#a9683a', 720, 50, 3)}
		<path fill="#4a2f27" d="M1180 830Q1215 640 1195 430H1245Q1235 640 1275 830Z"/>
		${Array.from({ length: 16 }, (_, i) => `<circle cx="${1220 + 210 * Math.cos(i * 2.4) * Math.sqrt(i / 16) + wave(1, i / 16) * 5}" cy="${330 + 170 * Math.sin(i * 2.4) * Math.sqrt(i / 16)}" r="92" fill="${['#c8502d', '#d9702b', '#e0912f', '#b5402a'][i % 4]}"/>`).join('')}
		<rect y="820" width="1600" height="80" fill="#7d4a2c"/>
		${Array.from({ length: 12 }, (_, i) => leaf(i, t, wave)).join('')}`,
	boat: (t, wave) => `${sky('#28406b', '#c9776b', '#f6c98a', '#f6c98a')}
		<circle cx="1120" cy="${520 + wave(1) * 3}" r="90" fill="#ffe7b0"/>
		${hills('#5d5277', 560, 60, 1)}${hills('#473f63', 590, 40, 3)}
		${water('#6d5f83', 590, 5, t)}${water('#57507a', 650, 8, -t)}
		<g transform="translate(${700 + wave(1, 0.25) * 24} ${640 + wave(1) * 10}) rotate(${wave(1, 0.1) * 4})">
			<path fill="#fffaf0" d="M-150 0H150L95 70H-95Z"/><path fill="#e4d9c8" d="M-70 0L0 -130L70 0Z"/><path fill="#fffaf0" d="M0 -130L70 0H0Z"/>
		</g>
		${water('#413d66', 715, 10, t)}${water('#312f55', 800, 12, -t)}`,
	kite: (t, wave) => `${sky('#3f86c9', '#9cc9e8', '#e8f1e4')}
		${[0, 1, 2, 3].map((i) => `<ellipse cx="${((t + i) / 4) * 2000 - 200}" cy="190" rx="140" ry="34" fill="#fff" opacity=".8"/>`).join('')}
		<path stroke="#7a4a35" stroke-width="4" fill="none" d="M430 780Q${760 + wave(1) * 40} 620 ${960 + wave(1) * 46} ${330 + wave(2) * 18}"/>
		<g transform="translate(${960 + wave(1) * 46} ${260 + wave(2) * 18}) rotate(${18 + wave(1, 0.2) * 9})">
			<path fill="#c8372d" d="M0 -110L78 0L0 150L-78 0Z"/><path fill="#e3604f" d="M0 -110L78 0H0Z"/><path fill="#a92a24" d="M0 150L-78 0H0Z"/>
			<path stroke="#c8372d" stroke-width="9" fill="none" d="M0 150q${40 * wave(2)} 50 0 100t0 100"/>
		</g>
		${hills('#9aa95a', 760, 40, 2)}${Array.from({ length: 54 }, (_, i) => `<path stroke="#d9b04a" stroke-width="12" d="M${i * 30} 900Q${i * 30 + wave(1, i / 27) * 14} 820 ${i * 30 + wave(1, i / 27) * 34} ${745 + ((i * 37) % 40)}"/>`).join('')}
		<rect y="850" width="1600" height="50" fill="#b98d35"/>`,
	lighthouse: (t, wave) => `${sky('#0b1430', '#1b2a55', '#37477a')}
		${Array.from({ length: 46 }, (_, i) => `<circle cx="${(i * 347) % 1600}" cy="${(i * 211) % 480}" r="${2 + (i % 3)}" fill="#fff" opacity="${0.5 + 0.4 * wave(1 + (i % 2), i / 9)}"/>`).join('')}
		<g transform="translate(1100 300)"><radialGradient id="b" gradientUnits="userSpaceOnUse" r="1000"><stop stop-color="#ffe9a8"/><stop offset="1" stop-color="#ffe9a8" stop-opacity="0"/></radialGradient><path fill="url(#b)" opacity="${0.35 + 0.3 * Math.max(0, wave(1))}" d="M0 0L${-1300 * wave(1, 0.25)} ${-150 + 60 * wave(1)}V${170 + 60 * wave(1)}Z"/></g>
		${water('#24355f', 620, 8, -t)}
		<path fill="#101a33" d="M860 700Q1000 560 1120 590T1420 700Z"/>
		<path fill="#e9e4da" d="M1060 600L1078 330H1122L1140 600Z"/><path fill="#b8402f" d="M1066 510L1072 430H1128L1134 510Z"/>
		<rect x="1070" y="272" width="60" height="58" fill="#ffdf86"/><path fill="#b8402f" d="M1060 272L1100 232L1140 272Z"/>
		${water('#1b2a50', 690, 14, t)}${water('#121d3d', 780, 18, -t)}`,
};

async function main(): Promise<void> {
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
		args: ['--no-sandbox'],
	});
	const folder = mkdtempSync(join(tmpdir(), 'scenes-'));
	const named = process.argv.slice(2);
	for (const [name, scene] of Object.entries(SCENES)) {
		if (named.length > 0 && !named.includes(name)) continue;
		for (const [size, [width, height]] of Object.entries(SIZES)) {
			const page = await browser.newPage({ viewport: { width, height } });
			for (let frame = 0; frame < FRAMES; frame += 1) {
				const t = frame / FRAMES;
				const wave = (periods: number, shift = 0) => Math.sin((t * periods + shift) * 2 * Math.PI);
				await page.setContent(
					`<body style="margin:0"><svg width="100%" height="100%" viewBox="0 0 1600 900" preserveAspectRatio="xMidYMid slice" style="display:block">${scene(t, wave)}</svg>`,
				);
				await page.screenshot({ path: join(folder, `${String(frame).padStart(3, '0')}.png`) });
			}
			await page.close();
			const group = 'keyint=60:min-keyint=60:scenecut=0:bframes=0:open-gop=0';
			const target = join(__dirname, 'assets', `${name}-${size}.mp4`);
			const encoding = [
				'-c:v',
				'libx264',
				'-preset',
				'veryslow',
				'-crf',
				'36',
				'-pix_fmt',
				'yuv420p',
			];
			const input = ['-framerate', '30', '-i', join(folder, '%03d.png')];
			const options = ['-y', '-v', 'error', ...input, ...encoding, '-profile:v', 'main'];
			execFileSync('ffmpeg', [...options, '-x264-params', group, '-an', target]);
		}
	}
	await browser.close();
	rmSync(folder, { recursive: true });
}

void main();

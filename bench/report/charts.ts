import type { BarChart, Chart, LineChart } from '../benchmark';
import { number } from './format';
import { element, picture, text } from './svg';

const WIDTH = 720;
const MARGIN = 20;
const TOP = 52;

export function draw(chart: Chart): string {
	return 'bars' in chart ? drawBars(chart) : drawLines(chart);
}

/** Horizontal bars, each with its value at the end. */
function drawBars({ title, unit, bars }: BarChart): string {
	const step = 32;
	const left = 220;
	const longest = Math.max(...bars.map(({ value }) => value));
	const scale = (WIDTH - left - MARGIN - 90) / longest;
	const rows = bars.flatMap(({ label, value, isOurs }, index) => {
		const y = TOP + index * step;
		const width = Math.max(2, value * scale);
		return [
			text(left - 10, y + 14, label, { 'text-anchor': 'end' }),
			element('rect', { class: isOurs ? 'ours' : 'peer', x: left, y, width, height: 20, rx: 3 }),
			text(left + width + 8, y + 14, number(value)),
		];
	});
	const heading = text(MARGIN, 28, title, { class: 'title' });
	const legend = text(WIDTH - MARGIN, 28, unit, { class: 'muted', 'text-anchor': 'end' });
	return picture(WIDTH, TOP + bars.length * step + 8, title, [heading, legend, ...rows]);
}

/** Lines over a logarithmic x axis, each with its label at the end. */
function drawLines({ title, unit, xUnit, lines }: LineChart): string {
	const height = 300;
	const [left, right, bottom] = [70, WIDTH - 170, height - 44];
	const points = lines.flatMap((line) => line.points);
	const xs = [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b);
	const [first = 1, last = 10] = [xs[0], xs.at(-1)];
	const highest = Math.max(...points.map(({ y }) => y)) * 1.15;
	const toX = (x: number) => left + ((right - left) * Math.log(x / first)) / Math.log(last / first);
	const toY = (y: number) => bottom - ((bottom - TOP) * y) / highest;
	const grid = [0, 0.5, 1].flatMap((part) => {
		const y = toY(highest * part);
		return [
			element('line', { class: 'grid', x1: left, x2: right, y1: y, y2: y }),
			text(left - 8, y + 4, number(highest * part), { class: 'muted', 'text-anchor': 'end' }),
		];
	});
	const ticks = xs.map((x) =>
		text(toX(x), bottom + 20, number(x), { class: 'muted', 'text-anchor': 'middle' }),
	);
	const drawn = lines.flatMap(({ label, isOurs, points: path }) => {
		const name = isOurs ? 'ours' : 'peer';
		const end = path.at(-1) ?? { x: first, y: 0 };
		const track = path.map(({ x, y }) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`).join(' ');
		return [
			element('polyline', { class: `${name}-line`, points: track }),
			...path.map(({ x, y }) => element('circle', { class: name, cx: toX(x), cy: toY(y), r: 3.5 })),
			text(toX(end.x) + 10, toY(end.y) + 4, label),
		];
	});
	return picture(WIDTH, height, title, [
		text(MARGIN, 28, title, { class: 'title' }),
		text(WIDTH - MARGIN, 28, unit, { class: 'muted', 'text-anchor': 'end' }),
		...grid,
		...ticks,
		text((left + right) / 2, height - 6, xUnit, { class: 'muted', 'text-anchor': 'middle' }),
		...drawn,
	]);
}

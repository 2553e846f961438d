import type { BarChart } from '../benchmark';
import { number } from './format';
import { element, picture, text } from './svg';

const WIDTH = 720;
const MARGIN = 20;
const TOP = 52;

/** Horizontal bars, each with its value at the end. */
export function draw({ title, unit, bars }: BarChart): string {
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

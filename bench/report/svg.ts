/** Colours for light and dark mode, by class. */
const STYLE = `
	text { font: 13px system-ui, sans-serif; fill: #1f2328 }
	.title { font-weight: 600; font-size: 14px }
	.muted { fill: #59636e; font-size: 12px }
	.surface { fill: #ffffff }
	.ours { fill: #0969da }
	.peer { fill: #afb8c1 }
	.limit { stroke: #bc4c00; stroke-width: 1.5; stroke-dasharray: 4 3 }
	.limit-text { fill: #bc4c00; font-size: 12px }
	@media (prefers-color-scheme: dark) {
		text { fill: #e6edf3 }
		.muted { fill: #9198a1 }
		.surface { fill: #0d1117 }
		.ours { fill: #4493f8 }
		.peer { fill: #59636e }
		.limit { stroke: #f0883e }
		.limit-text { fill: #f0883e }
	}`;

type Attributes = Record<string, string | number>;

export function element(name: string, attributes: Attributes, content = ''): string {
	const written = Object.entries(attributes).map(
		([attribute, value]) => ` ${attribute}="${typeof value === 'number' ? round(value) : value}"`,
	);
	return `<${name}${written.join('')}>${content}</${name}>`;
}

export function text(x: number, y: number, words: string, attributes: Attributes = {}): string {
	return element('text', { x, y, ...attributes }, escape(words));
}

/** A complete SVG file; the title is for screen readers. */
export function picture(width: number, height: number, title: string, parts: string[]): string {
	const surface = element('rect', { class: 'surface', width, height, rx: 6 });
	const content = [`<title>${escape(title)}</title>`, `<style>${STYLE}\n</style>`, surface];
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img">\n${[...content, ...parts].join('\n')}\n</svg>\n`;
}

function round(value: number): number {
	return Math.round(value * 10) / 10;
}

function escape(words: string): string {
	return words.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}

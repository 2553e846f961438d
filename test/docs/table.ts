export function tableRow(...cells: string[]): string {
	return `| ${cells.join(' | ')} |\n`;
}

export function table(head: string[], rows: string[][]): string {
	return [head, head.map(() => '---'), ...rows].map((cells) => tableRow(...cells)).join('');
}

/** A page with what is between the markers of this name replaced. */
export function withGenerated(page: string, name: string, text: string): string {
	const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
	const [before, after] = [page.split(start)[0], page.split(end)[1]];
	if (after === undefined) throw new Error(`The page has no markers for ${name}`);
	return `${before}${start}${text}${end}${after}`;
}

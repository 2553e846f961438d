import { EscapedText, OTHERS } from './escapedText';

/** How many characters are searched in one go: some hundredths of a second. */
const STEP = 1024 * 1024;

/** A text to be found, read as {@link EscapedText}. */
export class Form {
	private readonly codes: number[] = [];
	/** After each character: how much of the form the end of what was read may begin again (Knuth, Morris, Pratt). */
	private readonly fallbacks: number[] = [];
	readonly first: number;

	constructor(text: string) {
		for (const read = new EscapedText(text); read.next(); ) {
			const before = this.after(this.fallbacks.at(-1) ?? 0, read.code);
			this.codes.push(read.code);
			this.fallbacks.push(before);
		}
		this.first = this.codes[0] ?? 0;
	}

	get length(): number {
		return this.codes.length;
	}

	/** How many characters of the form match after another one, if so many matched before. */
	after(matched: number, code: number): number {
		let at = matched;
		while (this.codes[at] !== code) {
			if (at === 0) return 0;
			at = this.fallbacks[at - 1] ?? 0;
		}
		return at + 1;
	}
}

/** Searches a text for some forms, in a time that grows with the text alone. */
export class KeySearch {
	private readonly read: EscapedText;
	/** How much of each form the end of what was read matches. */
	private readonly matched: number[];
	/** Where the latest characters begin. */
	private readonly starts: Int32Array;
	private readonly mask: number;
	/** The character codes that a form begins with. */
	private readonly firsts = new Uint8Array(128);
	/** These and those that may be read as such. */
	private readonly stops: Uint8Array;
	private count = 0;
	private readonly found: Array<[start: number, end: number]> = [];

	constructor(
		private readonly text: string,
		private readonly forms: readonly Form[],
		readsPercent: boolean,
	) {
		this.read = new EscapedText(text, readsPercent);
		this.matched = forms.map(() => 0);
		const longest = Math.max(...forms.map(({ length }) => length));
		this.starts = new Int32Array(2 ** Math.ceil(Math.log2(longest)));
		this.mask = this.starts.length - 1;
		for (const { first } of forms) this.firsts[first] = 1;
		this.stops = this.firsts.slice();
		for (const code of OTHERS) this.stops[code] = 1;
	}

	/** Searches on for a while. Returns false when it is done. */
	step(): boolean {
		const { read, forms, matched, starts, mask, stops, firsts } = this;
		const last = read.end + STEP;
		// The step before may have ended within a form.
		let isWithin = true;
		while (isWithin ? read.next() : read.nextOf(stops)) {
			starts[this.count & mask] = read.start;
			this.count += 1;
			if (!isWithin && firsts[read.code] !== 1) continue;
			isWithin = false;
			for (let at = 0; at < forms.length; at += 1) {
				const form = forms[at]!;
				const now = form.after(matched[at]!, read.code);
				const isFound = now === form.length;
				if (isFound) this.add(this.startOf(now), read.end);
				matched[at] = isFound ? 0 : now;
				isWithin ||= matched[at] !== 0;
			}
			if (read.end > last) return true;
		}
		return false;
	}

	/**
	 * The text with a replacement for what was found.
	 * @param isCut whether the text may end in the middle of a form, of which nothing is kept
	 */
	replaced(replacement: string, isCut: boolean): string {
		const { text, found, matched } = this;
		const begun = Math.max(...matched);
		const end = isCut && begun > 0 ? this.startOf(begun) : text.length;
		let keptTo = 0;
		const parts = found.flatMap(([start, to]) => {
			const before = text.slice(keptTo, start);
			keptTo = to;
			return [before, replacement];
		});
		return [...parts, text.slice(keptTo, end)].join('');
	}

	/** Where the latest characters begin that are so many. */
	private startOf(characters: number): number {
		return this.starts[(this.count - characters) & this.mask] ?? 0;
	}

	private add(start: number, end: number): void {
		let begin = start;
		for (let last = this.found.at(-1); last && last[1] > start; last = this.found.at(-1)) {
			begin = Math.min(begin, last[0]);
			this.found.pop();
		}
		this.found.push([begin, end]);
	}
}

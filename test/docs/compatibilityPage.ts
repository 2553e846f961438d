import { CORPUS, type FieldCase, type Outcome } from '../corpus/corpus';
import { table, withGenerated } from './table';

const SECTIONS = ['chat', 'models', 'videos'] as const;

function sectionOf({ expect }: FieldCase): (typeof SECTIONS)[number] {
	if (expect.models) return 'models';
	return expect.chat || expect.streamed || expect.model ? 'chat' : 'videos';
}

const unique = (texts: string[]) => [...new Set(texts)];
const isRead = ({ item, raw, ids, items, file }: Outcome) =>
	Boolean(item ?? raw ?? ids ?? items ?? file);

/** What the nodes make of the cases of a kind, in a few words. */
function resultOf(outcomes: Outcome[], sent: string): string {
	const read = outcomes.filter(isRead);
	const refused = outcomes.filter((each) => !isRead(each));
	const codes = unique(refused.flatMap(({ error }) => (error?.code ? [`\`${error.code}\``] : [])));
	const as = codes.length > 0 ? ` as ${codes.sort().join(', ')}` : '';
	const isSent = ({ says = [] }: Outcome) => says.some((words) => sent.includes(words));
	const words = refused.some(isSent) ? ', with the words of the service' : '';
	const text = refused.some(({ error }) => error?.partial_text) ? ', with the text so far' : '';
	return [
		...(read.length > 0 ? [`read${read.some(({ hint }) => hint) ? ', with a hint' : ''}`] : []),
		...(refused.length > 0 ? [`refused${as}${words}${text}`] : []),
	].join('; ');
}

/** The chat model follows the nodes; where only it is played, it counts. */
function outcomesOf({ expect: { model, ...nodes } }: FieldCase): Outcome[] {
	const ofNodes = Object.values(nodes).filter((each) => each !== undefined);
	return ofNodes.length === 0 && model ? [model] : ofNodes;
}

/** A row for each kind of oddity. */
function rowsOf(cases: FieldCase[]): string[][] {
	return unique(cases.map(({ kind }) => kind))
		.sort()
		.map((kind) => {
			const ofKind = cases.filter((one) => one.kind === kind);
			const sources = unique(ofKind.map(({ source }) => source));
			return [
				kind,
				unique(ofKind.map(({ gateway }) => gateway))
					.sort()
					.join(', '),
				resultOf(ofKind.flatMap(outcomesOf), JSON.stringify(ofKind.map(({ sends }) => sends))),
				sources.map((source, index) => `[${index + 1}](${source})`).join(' '),
			];
		});
}

/** docs/compatibility.md with its tables written again. */
export function compatibilityPage(page: string): string {
	const cases = CORPUS.map(([, one]) => one);
	return SECTIONS.reduce((text, section) => {
		const rows = rowsOf(cases.filter((one) => sectionOf(one) === section));
		const head = ['what was sent', 'by', 'what the nodes make of it', 'reports'];
		return withGenerated(text, section, table(head, rows));
	}, page);
}

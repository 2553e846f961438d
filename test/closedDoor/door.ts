import type * as open from '../../gateway/dialects';
import { isFields } from '../../gateway/schemas/responseJson';

// The door to the dialects, closed: what the interface document does not show is not understood. What it shows works all the same.
const same = (value: unknown): unknown => value;
export const completionFrom: typeof open.completionFrom = same;
export const submissionFrom: typeof open.submissionFrom = same;
export const modelListFrom: typeof open.modelListFrom = same;
export const taskFrom: typeof open.taskFrom = same;
export const errorFrom: typeof open.errorFrom = same;
export const reasonFrom: typeof open.reasonFrom = same;

export class Chunks {
	areOne = false;
	from = (event: unknown): unknown => event;
	rest = (): unknown[] => [];
}

export class Lines {
	from(line: string): open.Data | undefined {
		const [, text] = /^data: (.*)$/s.exec(line) ?? [];
		return text === undefined ? undefined : { text, isError: false };
	}
}

export const chunksInLine: typeof open.chunksInLine = () => [];

export const isStream: typeof open.isStream = (start) => start.startsWith('data: ');
export const withoutThoughts: typeof open.withoutThoughts = (text) => text;
export const hasOnlyThoughts: typeof open.hasOnlyThoughts = () => false;
export const isAnswerLost: typeof open.isAnswerLost = () => false;
export const saysNotReady: typeof open.saysNotReady = () => false;
export const isFailure: typeof open.isFailure = () => false;
export const takeInlineVideos: typeof open.takeInlineVideos = () => [];
export const isAbout: typeof open.isAbout = () => false;
export const errorMeaning: typeof open.errorMeaning = () => undefined;
export const isQuotaCode: typeof open.isQuotaCode = () => false;
export const namesParameter: typeof open.namesParameter = () => false;
export const startOfInlineData: typeof open.startOfInlineData = () => undefined;
export const errorBeside: typeof open.errorBeside = () => undefined;
export const namesReset: typeof open.namesReset = () => false;
export const waitsIn: typeof open.waitsIn = () => [];
export const waitInWords: typeof open.waitInWords = () => 0;
export const reasonWords: typeof open.reasonWords = (body) =>
	isFields(body) && typeof body.message === 'string' ? body.message : '';
export const errorTextIn: typeof open.errorTextIn = (body) => body;
export const modelOutputOf: typeof open.modelOutputOf = () => undefined;
export const hasThoughts: typeof open.hasThoughts = () => false;
export const isPieceOfText: typeof open.isPieceOfText = () => false;
export const secondsIn: typeof open.secondsIn = Number;

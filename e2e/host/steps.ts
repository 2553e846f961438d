/** Shows a step while it runs, and returns its result. */
export type Step = <Result>(text: string, work: Promise<Result>) => Promise<Result>;

/** A spinner on a terminal, otherwise a line at the start and one at the end. */
export async function visibleSteps(): Promise<Step> {
	const { oraPromise } = await import('ora');
	return async (text, work) => await oraPromise(work, { text, stream: process.stdout });
}

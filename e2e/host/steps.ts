/** Shows what is being done while it is done, and hands on what came of it. */
export type Step = <Result>(what: string, work: Promise<Result>) => Promise<Result>;

/** A spinner on a terminal, elsewhere a line at the start and one at the end. */
export async function visibleSteps(): Promise<Step> {
	const { oraPromise } = await import('ora');
	return async (what, work) => await oraPromise(work, { text: what, stream: process.stdout });
}

import type { Simulator, TaskView } from '../simulator';
import { counted, onTerminal, print } from './report';

/**
 * Shows the running node, the elapsed time and how many videos are finished: as a spinner on a terminal,
 * otherwise as a line for each change.
 * @returns a function that ends it
 */
export async function showProgress(
	simulator: Pick<Simulator, 'tasks'>,
	currentNode: () => string,
): Promise<() => void> {
	const startedAt = Date.now();
	const earlier = simulator.tasks.length;
	const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
	const state = () => [currentNode(), ...videos(simulator.tasks.slice(earlier))].join(' · ');
	if (!onTerminal) return onEachChange(state, (text) => print(`… ${text}`));
	const { default: ora } = await import('ora');
	const spinner = ora({ stream: process.stdout }).start();
	const end = onEachChange(
		() => `${state()} · ${seconds()}`,
		(text) => (spinner.text = text),
	);
	return () => {
		end();
		spinner.stop();
	};
}

function onEachChange(state: () => string, show: (text: string) => void): () => void {
	let shown = '';
	const update = () => {
		const text = state();
		if (text !== shown) show(text);
		shown = text;
	};
	update();
	const timer = setInterval(update, 100);
	return () => clearInterval(timer);
}

function videos(tasks: TaskView[]): string[] {
	if (tasks.length === 0) return [];
	const finished = tasks.filter(({ status }) => status === 'completed' || status === 'failed');
	return [`${finished.length} of ${counted(tasks.length, 'video')} finished`];
}

/** Shows a text while work lasts, on a terminal. */
export async function withSpinner<Result>(text: string, work: Promise<Result>): Promise<Result> {
	if (!onTerminal) return await work;
	const { default: ora } = await import('ora');
	const spinner = ora({ text, stream: process.stdout }).start();
	return await work.finally(() => spinner.stop());
}

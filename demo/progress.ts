import type { Simulator, TaskView } from '../simulator';
import { counted, onTerminal, print } from './report';

/**
 * Shows which node is at work, for how long, and how far the service is with its videos: a spinner on a terminal,
 * elsewhere a line for each change.
 * @returns what ends it
 */
export async function showProgress(
	simulator: Pick<Simulator, 'tasks'>,
	nodeAtWork: () => string,
): Promise<() => void> {
	const begun = Date.now();
	const earlier = simulator.tasks.length;
	const seconds = () => `${Math.round((Date.now() - begun) / 1000)} s`;
	const state = () => [nodeAtWork(), ...videos(simulator.tasks.slice(earlier))].join(' · ');
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
	const look = () => {
		const text = state();
		if (text !== shown) show(text);
		shown = text;
	};
	look();
	const timer = setInterval(look, 100);
	return () => clearInterval(timer);
}

function videos(tasks: TaskView[]): string[] {
	if (tasks.length === 0) return [];
	const finished = tasks.filter(({ status }) => status === 'completed' || status === 'failed');
	return [`${finished.length} of ${counted(tasks.length, 'video')} finished`];
}

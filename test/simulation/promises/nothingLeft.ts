import type { Promised } from './promise';

/** What a wait may store for each task, with the task's own item. */
const BYTES_PER_TASK = 4_000;

/** Timers, files and stored data are gone when the work is done. */
export const nothingLeft: Promised = {
	name: 'Nothing is left',
	check({ left, rows, truth }) {
		const timers = left.timers > 0 ? [`${left.timers} timers`] : [];
		const files = left.files.map((file) => `the file ${file}`);
		const grown = rows.flatMap(({ id, sizes }) => {
			const [first = 0, ...later] = sizes;
			const most = first + truth.tasks.size * BYTES_PER_TASK + 20_000;
			return later.some((size) => size > most)
				? [`execution ${id} grows with its legs: ${sizes.join(', ')} characters stored`]
				: [];
		});
		return [...timers, ...files].map((what) => `${what} left over`).concat(grown);
	},
};

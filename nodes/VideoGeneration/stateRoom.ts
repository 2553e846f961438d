import type { PaidTask } from '../../gateway';

/** Characters of finished items that one run keeps in the state of its wait. n8n stores them with the execution anyway. */
const MAX_KEPT = 16 * 1024 * 1024;
/** Of a file in memory: four characters of base64 for three bytes. */
const CHARACTERS_PER_BYTE = 4 / 3;

/**
 * The room for finished tasks in the book of a wait. Files count only where n8n keeps them in memory: elsewhere a task
 * has no more than their names. What does not fit is downloaded once, when all videos are finished.
 */
export class StateRoom {
	/** Undefined until a file was stored. */
	private inMemory: boolean | undefined;
	private left = MAX_KEPT;
	private largest = 0;

	constructor(kept: PaidTask[]) {
		for (const task of kept) this.take(task, sizeOf(task));
	}

	/** Room for the item of one task. */
	reserve(): ReservedRoom {
		let reserved = 0;
		const reserve = (characters: number) => {
			this.left += reserved - characters;
			reserved = characters;
		};
		return {
			mayHoldFile: () => this.inMemory !== true || this.left >= this.largest,
			admitsFile: async (bytes, storesInMemory) => {
				const characters = (bytes ?? Infinity) * CHARACTERS_PER_BYTE;
				const fits = characters <= this.left + reserved;
				this.inMemory ??= fits ? undefined : await storesInMemory();
				if (fits) reserve(characters);
				return fits || !this.inMemory;
			},
			keep: (task) => {
				const size = sizeOf(task);
				reserve(0);
				const fits = size <= this.left;
				if (fits) this.take(task, size);
				return fits;
			},
			free: () => reserve(0),
		};
	}

	private take({ file }: PaidTask, size: number): void {
		this.left -= size;
		if (file === undefined) return;
		this.inMemory = file.id === undefined;
		if (this.inMemory) this.largest = Math.max(this.largest, size);
	}
}

/** Room in the state for the item of one task. */
export interface ReservedRoom {
	/** Whether to ask for a file at all. */
	mayHoldFile: () => boolean;
	/**
	 * Whether a file may be downloaded now.
	 * @param bytes its size, if it is known
	 * @param storesInMemory finds out where n8n keeps files
	 */
	admitsFile: (
		bytes: number | undefined,
		storesInMemory: () => Promise<boolean>,
	) => Promise<boolean>;
	/** Whether the finished task fits. If it does, the room is taken. */
	keep: (task: PaidTask) => boolean;
	/** No item was made. */
	free: () => void;
}

/** There is no room for a video while other videos are waited for. No user sees it. */
export class PostponedDownload extends Error {}

function sizeOf(task: PaidTask): number {
	return JSON.stringify(task).length;
}

import type { Scenario } from '../scenario/schema';
import type { Truth } from '../service/truth';
import type { MemoryBinaries } from './n8nServices';
import type { Row } from './rows';

export interface TimelineEntry {
	at: number;
	who: 'world' | 'n8n' | 'log' | 'service';
	text: string;
}

/** An error that one of our nodes threw at n8n. */
export interface Thrown {
	at: number;
	execution: string;
	node: string;
	message: string;
	description: string;
}

/** A node of ours begins. */
export interface NodeStart {
	at: number;
	execution: string;
	node: string;
}

/** What happened in a scenario: what the promises judge. */
export interface Played {
	scenario: Scenario;
	start: number;
	/** When the last execution had ended. */
	end: number;
	/** Without n8n. */
	downtimes: Array<{ from: number; to: number }>;
	truth: Truth;
	rows: Row[];
	/** What the processes wrote to n8n's log while they lived. */
	log: TimelineEntry[];
	timeline: TimelineEntry[];
	binaries: MemoryBinaries;
	keys: string[];
	/** What our nodes threw, in all tries. */
	thrown: Thrown[];
	/** When our nodes began. */
	starts: NodeStart[];
	/** The same for each try, and for each resumed run of a wait. */
	tries: NodeStart[];
	/** When Stop was pressed, by execution. */
	stops: Map<string, number>;
	kills: number[];
	suspended: Array<{ at: number; ms: number }>;
	/** What the last process still held when all was over. */
	left: {
		timers: number;
		files: string[];
		/** On the signal of an execution that had ended. */
		listeners: number;
		/** Of a last execution, when all pauses are over: why it did not send its requests at once. */
		held: string | undefined;
	};
	/** Why the scenario was given up: nothing is judged then. */
	unfinished: string | undefined;
}

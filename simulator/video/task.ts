import type { FaultSpec } from '../faults/faultSpec';
import type { TaskOutcome, TaskPlan } from './taskPlan';

export interface VideoFormat {
	size: string;
	/** Seconds, as requested. */
	duration: number;
	fps: number;
}

/** The seconds that the video really lasts: a whole number of frames. */
export function actualDuration({ duration, fps }: VideoFormat): number {
	return Math.round(duration * fps) / fps;
}

export interface Task {
	id: string;
	/** The id that polls report. */
	reportedId: string;
	submissionId: string;
	model: string;
	prompt: string;
	revisedPrompt: string;
	format: VideoFormat;
	/** The task contains the video as base64 instead of a URL. */
	inline: boolean;
	/** Milliseconds since 1970. */
	createdAt: number;
	/** How long it takes. */
	durationMs: number;
	plan: TaskPlan;
	/** How it ends under a fault. */
	outcome?: TaskOutcome;
	/** Faults that its prompt asks for on its polls and its download. */
	faults: readonly FaultSpec[];
}

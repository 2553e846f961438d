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

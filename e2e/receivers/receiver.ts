/** A server that somebody else wrote, which a workflow sends files to. */
export interface Receiver {
	/** The credential of n8n for it. */
	credential: { type: string; data: object };
	/** @returns the bytes of a file that arrived */
	read(file: string): Promise<Buffer>;
	close(): Promise<void>;
}

/** Enough that a write costs little beside its bytes. */
const ENOUGH_BYTES = 512 * 1024;

/**
 * Puts together the small pieces in which a body arrives. n8n writes each piece to its storage by itself and waits for
 * that: piece by piece a large video takes half as long again.
 */
export class ChunkBuffer {
	private pieces: Buffer[] = [];
	private size = 0;

	/** Keeps a piece. Returns all pieces as soon as they are enough for one write. */
	add(piece: Buffer): Buffer | undefined {
		this.pieces.push(piece);
		this.size += piece.length;
		return this.size >= ENOUGH_BYTES ? this.take() : undefined;
	}

	/** Returns all pieces and forgets them. */
	take(): Buffer {
		const all = Buffer.concat(this.pieces, this.size);
		this.pieces = [];
		this.size = 0;
		return all;
	}
}

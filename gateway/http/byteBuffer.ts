/**
 * Bytes that arrive in pieces of any size. A list of the pieces could take a hundred times their memory: in a chunked body a
 * server can send them one by one.
 */
export class ByteBuffer {
	private held: Buffer = Buffer.alloc(0);
	private size = 0;

	get length(): number {
		return this.size;
	}

	get bytes(): Buffer {
		return this.held.subarray(0, this.size);
	}

	add(bytes: Buffer): void {
		if (bytes.length === 0) return;
		// Most bodies are one piece, which is not copied.
		if (this.size === 0) this.held = bytes;
		else {
			this.reserve(this.size + bytes.length);
			bytes.copy(this.held, this.size);
		}
		this.size += bytes.length;
	}

	/** Returns all bytes and forgets them. */
	take(): Buffer {
		const { bytes } = this;
		this.held = Buffer.alloc(0);
		this.size = 0;
		return bytes;
	}

	private reserve(size: number): void {
		if (size <= this.held.length) return;
		const larger = Buffer.allocUnsafe(size * 2);
		this.held.copy(larger, 0, 0, this.size);
		this.held = larger;
	}
}

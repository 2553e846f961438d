import type { VirtualHost } from '../../clock/virtualHost';
import { real } from '../host/install';

/** How the time of a host passes: when nothing runs. */
export class Passing {
	constructor(private readonly host: VirtualHost) {}

	/** Everything that can run has run. */
	async quiet(): Promise<void> {
		do {
			await new Promise<void>((resolve) => real.setImmediate(() => resolve()));
		} while (this.host.runImmediates());
	}

	/** Time passes. */
	async pass(ms: number): Promise<void> {
		const end = this.host.now() + ms;
		await this.quiet();
		await this.advanceUntil(end);
		this.host.skipTo(end);
	}

	/** @param mayGoOn asked before each step */
	async advanceUntil(end: number, mayGoOn: () => boolean = () => true): Promise<void> {
		while (mayGoOn() && this.host.now() + this.host.nextIn <= end) {
			this.host.step();
			await this.quiet();
		}
	}
}

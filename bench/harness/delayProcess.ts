import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { answer } from './messages';

/** A service that is some way off: every byte arrives half a round trip later, in both directions. */
export interface Delay {
	port: number;
	roundTripMs: number;
}

/** Hands on what `from` sends, so much later. The first bytes also wait for the round trip of opening a connection. */
function handOn(from: Socket, to: Socket, delayMs: number, openingMs: number): void {
	let opening = openingMs;
	from.on('data', (bytes) => {
		setTimeout(() => to.write(bytes), delayMs + opening);
		// Timers of one length keep their order, so only what follows at once may not overtake the first bytes.
		if (opening > 0) setTimeout(() => (opening = 0), 0);
	});
	from.on('end', () => setTimeout(() => to.end(), delayMs + opening));
	from.on('error', () => to.destroy());
}

answer(async ({ port, roundTripMs }: Delay) => {
	const proxy = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
		const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
		handOn(near, far, roundTripMs / 2, roundTripMs);
		handOn(far, near, roundTripMs / 2, 0);
	});
	proxy.listen(0, '127.0.0.1');
	await once(proxy, 'listening');
	return (proxy.address() as AddressInfo).port;
});

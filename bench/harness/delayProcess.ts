import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { handleMessages } from './messages';

/** A proxy that adds network latency: every byte arrives half a round trip later, in both directions. */
export interface Delay {
	port: number;
	roundTripMs: number;
}

/** Forwards what `from` sends after a delay. The first bytes also wait for the round trip of connecting. */
function forward(from: Socket, to: Socket, delayMs: number, connectMs: number): void {
	let connectDelay = connectMs;
	from.on('data', (bytes) => {
		setTimeout(() => to.write(bytes), delayMs + connectDelay);
		// Timers of the same length keep their order; bytes that follow at once must not overtake the first bytes.
		if (connectDelay > 0) setTimeout(() => (connectDelay = 0), 0);
	});
	from.on('end', () => setTimeout(() => to.end(), delayMs + connectDelay));
	from.on('error', () => to.destroy());
}

handleMessages(async ({ port, roundTripMs }: Delay) => {
	const proxy = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
		const upstream = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
		forward(client, upstream, roundTripMs / 2, roundTripMs);
		forward(upstream, client, roundTripMs / 2, 0);
	});
	proxy.listen(0, '127.0.0.1');
	await once(proxy, 'listening');
	return (proxy.address() as AddressInfo).port;
});

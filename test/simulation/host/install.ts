import crypto from 'node:crypto';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import { VirtualHost } from '../../clock/virtualHost';
import { fillRandomly, randomOf, uuid } from './random';

/** What the program itself needs of real time. */
export const real = { setImmediate, hrtime: process.hrtime.bigint.bind(process.hrtime) };

let host = new VirtualHost();
/** Of the code under test: `Math.random`, ids. */
let random = randomOf(0);

/** The host that the code under test runs on from now on. */
export function moveTo(other: VirtualHost, seed: number): void {
	host = other;
	random = randomOf(seed);
}

/**
 * Puts the virtual host under everything that is loaded after this: time, timers and random numbers. Import it before
 * n8n-core. Node.js itself (streams, promises) needs none of them.
 */
export function install(): void {
	installDate();
	Object.defineProperties(performance, {
		now: { value: () => host.sinceStart },
		timeOrigin: { get: () => host.timeOrigin },
	});
	Math.random = () => random();
	const timerFunctions = {
		setTimeout: startTimeout,
		setInterval: startInterval,
		setImmediate: startImmediate,
		clearTimeout: clear,
		clearInterval: clear,
		clearImmediate: clear,
	};
	Object.assign(globalThis, timerFunctions);
	Object.assign(timers, timerFunctions);
	Object.defineProperty(startTimeout, promisify.custom, { value: delay });
	Object.assign(timersPromises, { setTimeout: delay, setImmediate: turn });
	installCrypto();
}

function installDate(): void {
	const RealDate = Date;
	function VirtualDate(...args: []): unknown {
		if (!new.target) return new RealDate(host.wall).toString();
		const target = new.target === (VirtualDate as unknown) ? RealDate : new.target;
		return Reflect.construct(RealDate, args.length === 0 ? [host.wall] : args, target);
	}
	VirtualDate.prototype = RealDate.prototype;
	Object.assign(VirtualDate, { now: () => host.wall, parse: RealDate.parse, UTC: RealDate.UTC });
	RealDate.now = () => host.wall;
	RealDate.prototype.constructor = VirtualDate;
	Object.assign(globalThis, { Date: VirtualDate });
}

function installCrypto(): void {
	const randomUUID = () => uuid(random);
	const getRandomValues = <Bytes extends ArrayBufferView>(view: Bytes) => {
		fillRandomly(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), random);
		return view;
	};
	const randomBytes = (size: number) => fillRandomly(Buffer.alloc(size), random);
	Object.assign(crypto, { randomUUID, randomBytes, randomFillSync: getRandomValues });
	for (const [name, value] of Object.entries({ randomUUID, getRandomValues }))
		Object.defineProperty(globalThis.crypto, name, { value, configurable: true });
}

/** The longest delay of a Node.js timer; a longer one fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

class Timeout {
	private stop = () => {};

	constructor(
		private readonly action: () => void,
		private readonly ms: number,
		private readonly repeats: boolean,
	) {
		this.start();
	}

	private start(): void {
		const ms = this.ms >= 1 && this.ms <= MAX_TIMER_MS ? this.ms : 1;
		this.stop = host.startTimer(Math.trunc(ms), () => {
			if (this.repeats) this.start();
			this.action();
		});
	}

	close = () => this.stop();
	ref = () => this;
	unref = () => this;
	hasRef = () => true;
	refresh = () => {
		this.stop();
		this.start();
		return this;
	};
	[Symbol.dispose] = () => this.stop();
}

type Action = (...args: unknown[]) => void;

function startTimeout(action: Action, ms = 1, ...args: unknown[]): Timeout {
	return new Timeout(() => action(...args), Number(ms), false);
}

function startInterval(action: Action, ms = 1, ...args: unknown[]): Timeout {
	return new Timeout(() => action(...args), Number(ms), true);
}

class Immediate {
	private isCleared = false;

	constructor(action: () => void) {
		host.startImmediate(() => this.isCleared || action());
	}

	close = () => void (this.isCleared = true);
	ref = () => this;
	unref = () => this;
	hasRef = () => true;
	[Symbol.dispose] = () => this.close();
}

function startImmediate(action: Action, ...args: unknown[]): Immediate {
	return new Immediate(() => action(...args));
}

function clear(timer: { close?: () => void } | undefined): void {
	timer?.close?.();
}

async function delay(ms = 1, value?: unknown, { signal }: { signal?: AbortSignal } = {}) {
	return await new Promise((resolve, reject) => {
		const cancel = () => {
			timer.close();
			reject(Object.assign(new Error('The operation was aborted'), { name: 'AbortError' }));
		};
		const timer = startTimeout(() => {
			signal?.removeEventListener('abort', cancel);
			resolve(value);
		}, ms);
		if (signal?.aborted) cancel();
		else signal?.addEventListener('abort', cancel, { once: true });
	});
}

async function turn(value?: unknown) {
	return await new Promise((resolve) => void startImmediate(() => resolve(value)));
}

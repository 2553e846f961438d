import { nextTurn, systemClock } from '../../../gateway';

/**
 * n8n does nothing else while a node reads its items: each expression takes up to 0.7 ms (n8n 2.41). Reading and preparing
 * may follow each other without a pause: two turns stay below 100 ms.
 */
const MAX_TURN_MS = 25;

/**
 * Does something for one thing after another, while n8n has its turn in between.
 * @param afterTurn is called when n8n had its turn
 */
export async function inTurns<Thing>(
	things: Iterable<Thing>,
	action: (thing: Thing) => void | Promise<void>,
	afterTurn = () => {},
): Promise<void> {
	let startedAt = systemClock.now();
	for (const thing of things) {
		await action(thing);
		if (systemClock.now() - startedAt < MAX_TURN_MS) continue;
		await nextTurn();
		afterTurn();
		startedAt = systemClock.now();
	}
}

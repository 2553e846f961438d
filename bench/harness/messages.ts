import { inspect } from 'node:util';
import type { ChildProcess } from 'node:child_process';

/** Sends a message to a process and waits for its next one. Rejects when the process ends or says that it failed. */
export async function ask<Reply>(child: ChildProcess, message: unknown): Promise<Reply> {
	return await new Promise<Reply>((resolve, reject) => {
		const leave = (code: number | null) => reject(new Error(`The process ended with ${code}`));
		child.once('exit', leave);
		child.once('message', (reply: { failure?: string; value?: Reply }) => {
			child.removeListener('exit', leave);
			if (reply.failure === undefined) resolve(reply.value as Reply);
			else reject(new Error(reply.failure));
		});
		child.send(message as object);
	});
}

/** Answers each message of the parent process with what `reply` resolves to. Ends with the parent. */
export function answer<Message>(reply: (message: Message) => unknown): void {
	process.on('message', (message: Message) => {
		void Promise.resolve()
			.then(async () => await reply(message))
			.then(
				(value) => process.send?.({ value }),
				(error: unknown) => process.send?.({ failure: inspect(error) }),
			);
	});
	process.once('disconnect', () => process.exit(0));
}

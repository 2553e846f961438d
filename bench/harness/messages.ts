import { inspect } from 'node:util';
import type { ChildProcess } from 'node:child_process';

/** Sends a message to a process and waits for its reply. Rejects if the process ends or reports a failure. */
export async function request<Reply>(child: ChildProcess, message: unknown): Promise<Reply> {
	return await new Promise<Reply>((resolve, reject) => {
		const onExit = (code: number | null) =>
			reject(new Error(`The process ended with code ${code}`));
		child.once('exit', onExit);
		child.once('message', (reply: { failure?: string; value?: Reply }) => {
			child.removeListener('exit', onExit);
			if (reply.failure === undefined) resolve(reply.value as Reply);
			else reject(new Error(reply.failure));
		});
		child.send(message as object);
	});
}

/** Replies to each message of the parent process with what the handler returns. Ends with the parent. */
export function handleMessages<Message>(handler: (message: Message) => unknown): void {
	process.on('message', (message: Message) => {
		void Promise.resolve()
			.then(async () => await handler(message))
			.then(
				(value) => process.send?.({ value }),
				(error: unknown) => process.send?.({ failure: inspect(error) }),
			);
	});
	process.once('disconnect', () => process.exit(0));
}

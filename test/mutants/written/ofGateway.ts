import { changesOf, type Change } from './change';

export const OF_GATEWAY: readonly Change[] = [
	...changesOf('gateway/limits/verdict.ts', [
		['a pause of hours is waited for', 'MAX_PAUSE_MS = 300_000', 'MAX_PAUSE_MS = 300_000_000'],
	]),
	...changesOf('gateway/sendRequest.ts', [
		['a 504 is retried', "hidesSuccess === 'always' ||", ''],
		['a slot is never released', '\t\t\tqueue.release(permit);', ''],
		['an idle timeout is never stopped', '\t\tidleTimeout.end();', ''],
		[
			'a refusal delays only its own request',
			'isHeld = permit.scope.fail(permit, failure, verdict);',
			"isHeld = permit.scope.fail(permit, failure, { ...verdict, others: 'continue' });",
		],
	]),
	...changesOf('gateway/client.ts', [
		['the pause of a key holds another key', 'sha256(`${baseUrl}\\n${apiKey}`)', 'sha256(baseUrl)'],
	]),
	...changesOf('gateway/limits/serviceQueue.ts', [
		['executions take no turns', 'this.lines.delete(line);\n\t\t\tthis.lines.add(line);', ''],
		[
			'a request that left the queue leaves it again at Stop',
			"\t\t\t\tsignal?.removeEventListener('abort', cancel);\n",
			'',
		],
		[
			'polls wait for a connection behind long answers',
			'FOR_GETS = 2 * OF_EACH_KEY',
			'FOR_GETS = 0',
		],
	]),
	...changesOf('gateway/http/serviceError.ts', [
		[
			'the key is in the words of an error',
			'quoted ? apiKey.redactStart(quoted, MAX_MESSAGE) : undefined',
			'quoted ? clip(quoted) : undefined',
		],
	]),
	...changesOf('gateway/http/networkError.ts', [
		[
			'a lost connection counts as a refusal',
			'{ code, advice, technical, mayHaveBeenAccepted, cause }',
			'{ code, advice, technical, mayHaveBeenAccepted: false, cause }',
		],
		[
			'a timeout counts as a refusal',
			'of the node.`,\n\t\tmayHaveBeenAccepted: paid,',
			'of the node.`,\n\t\tmayHaveBeenAccepted: false,',
		],
		[
			'a paid request that is lost with EHOSTUNREACH is sent again',
			'return (paid ? undefined : notConnected(error)) ?? connectionLost(error, paid);',
			'return notConnected(error) ?? connectionLost(error, paid);',
		],
	]),
	...changesOf('gateway/http/dispatch.ts', [
		['a request that is given up goes on', 'else this.controller?.abort(this.givenUp);', ''],
	]),
	...changesOf('gateway/client.ts', [
		[
			'more requests are in flight than allowed',
			'new Execution(options.maxConcurrency,',
			'new Execution(options.maxConcurrency + 1,',
		],
	]),
	...changesOf('gateway/clock.ts', [
		[
			'the clock is the one that can be set',
			'now: () => performance.now()',
			'now: () => Date.now()',
		],
	]),
	...changesOf('gateway/video/taskPoller.ts', [
		[
			'a wait that is stopped leaves its next poll',
			'\t\t\t\tstop();\n\t\t\t\treject(new CancelledError());',
			'\t\t\t\treject(new CancelledError());',
		],
		[
			'a task is called unfinished without a last poll',
			'\t\tlet isFinal = isLate();\n',
			'\t\tlet isFinal = isLate();\n\t\tif (isFinal) throw new WaitTimeoutError(task.entry, polled.settings.maxWaitMs);\n',
		],
	]),
	...changesOf('gateway/video/pollSchedule.ts', [
		['adaptive polls are far apart', 'MAX_INTERVALS = 8', 'MAX_INTERVALS = 800'],
	]),
	...changesOf('gateway/video/downloads.ts', [
		['the slot of a download is never released', '\t\t\tqueue.release(permit);', ''],
	]),
];

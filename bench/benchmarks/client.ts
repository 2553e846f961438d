import { bars, type Bench, compare, type Measure, OURS, type Sample } from '../benchmark';
import { openGateway } from '../harness/gateway';
import { inParallel, medians, timed } from '../harness/measure';
import { MODEL } from '../harness/model';
import { openPool } from '../harness/rawUndici';

const REQUESTS = 4_000;
const AT_ONCE = 10;
const PROCESSES = 5;
const UNDICI = 'undici';
const CPU = 'CPU of a request';
const SPEED = 'requests a second';

function measuring(ask: (item: number) => Promise<unknown>): Measure {
	return async () => {
		const { wall, cpu } = await timed(async () => await inParallel(REQUESTS, AT_ONCE, ask));
		return { [SPEED]: (1000 * REQUESTS) / wall, [CPU]: (1000 * cpu) / REQUESTS };
	};
}

export const client: Bench = {
	name: 'client',
	what: 'The client alone, without n8n',
	method: `4,000 chat requests, ${AT_ONCE} at once, against a model that answers at once: ours with its checks of the
response, its rate limiter, its timeouts and its retries; undici with \`JSON.parse\` and nothing else. Both run eight batches to warm up, then
five in turns, in ${PROCESSES} processes each: the order in which V8 compiles what it runs differs from process to process, and makes a
fifth of the time. What counts is the median of the processes' medians.`,
	cost: `\`http/dispatch.ts\`, 160 lines between undici's dispatcher and the client: undici's own \`request\` makes a stream of every body and wants an
AbortSignal for every request. And few layers: each \`async\` function that only calls another costs a promise and a turn of the microtasks, so \`client.ts\`
and \`sendRequest.ts\` await only what must be awaited. The schema of each response, the search for the key in it, the rate limiter and the idle timeout
were not given up for speed: they are the difference to undici.`,
	goals: [{ figure: CPU, peer: UNDICI, of: 'ratio', atMost: 1.25 }],
	contestants: {
		[OURS]: (stage) => {
			const gateway = openGateway(stage, AT_ONCE);
			return measuring(async (item) => {
				const content = `What is worth knowing of ${item}?`;
				await gateway.chat({ model: MODEL, messages: [{ role: 'user', content }] });
			});
		},
		[UNDICI]: (stage) => measuring(openPool(stage, AT_ONCE).chat),
	},
	async run(competition) {
		const service = await competition.service({ encodings: [] });
		const samples: Array<Record<string, Sample>> = [];
		for (let process = 0; process < PROCESSES; process += 1) {
			const rules = { repetitions: 5, warmUps: 8 };
			samples.push(await competition.measure([OURS, UNDICI], service, rules));
			await competition.dismissAll();
		}
		const ofAll = (name: string) => medians(samples.map((sample) => sample[name] ?? {}));
		const measured = { [OURS]: ofAll(OURS), [UNDICI]: ofAll(UNDICI) };
		return {
			comparisons: [compare(measured, CPU, 'µs', UNDICI), compare(measured, SPEED, '1/s', UNDICI)],
			charts: [bars(measured, CPU, 'CPU time of a request, client alone', 'µs')],
			notes: [],
		};
	},
};

import { bars, type Benchmark, compare, type Measure, OURS, CPU_NOISE } from '../benchmark';
import { openGateway } from '../harness/gateway';
import { inParallel, timed } from '../harness/measure';
import { MODEL } from '../harness/workload';
import { openPool } from '../harness/rawUndici';
import { linesOf } from '../report/linesOf';

const REQUESTS = 4_000;
const AT_ONCE = 10;
const PROCESSES = 5;
const UNDICI = 'undici';
const CPU = 'CPU per request';
const SPEED = 'requests per second';

function measuring(send: (item: number) => Promise<unknown>): Measure {
	return async () => {
		const { wall, cpu } = await timed(async () => await inParallel(REQUESTS, AT_ONCE, send));
		return { [SPEED]: (1000 * REQUESTS) / wall, [CPU]: (1000 * cpu) / REQUESTS };
	};
}

export const client: Benchmark = {
	name: 'client',
	title: 'The client alone, without n8n',
	method: `4,000 chat requests, ${AT_ONCE} in flight, against a model that answers at once: ours with its validation of the
response, its rate limiter, its timeouts and its retries; undici with \`JSON.parse\` and nothing else. Both run eight batches to warm up, then
five in turns, in ${PROCESSES} processes each: the order in which V8 compiles code differs between processes and makes a difference of up to a
fifth. The figure is the median of the processes' medians.`,
	cost: `${linesOf('gateway/http/dispatch.ts')} between undici's dispatcher and the client: undici's own \`request\` makes a stream of every body and needs an
AbortSignal for every request. And few layers: each \`async\` function that only calls another costs a promise and a microtask, so \`client.ts\`
and \`sendRequest.ts\` await only what they must. The schema of each response, the search for the key in it, the rate limiter and the idle timeout
were not traded for speed: they are the difference to undici.`,
	goals: [{ figure: CPU, peer: UNDICI, of: 'ratio', atMost: 1.25, noise: CPU_NOISE }],
	candidates: {
		[OURS]: (target) => {
			const gateway = openGateway(target, AT_ONCE);
			return measuring(async (item) => {
				const content = `What is worth knowing of ${item}?`;
				await gateway.chat({ model: MODEL, messages: [{ role: 'user', content }] });
			});
		},
		[UNDICI]: (target) => measuring(openPool(target, AT_ONCE).chat),
	},
	async run(runner) {
		const service = await runner.service({ encodings: [] });
		const options = { processes: PROCESSES, repetitions: 5, warmUps: 8 };
		const measured = await runner.measure([OURS, UNDICI], service, options);
		return {
			comparisons: [compare(measured, CPU, 'µs', UNDICI), compare(measured, SPEED, '', UNDICI)],
			charts: [bars(measured, CPU, 'CPU time per request, client alone', 'µs')],
			notes: [],
		};
	},
};

import { errorFrom, submissionFrom, taskFrom } from '../../gateway/dialects';
import { errorBody } from '../../gateway/schemas/errors';
import { readAs } from '../../gateway/schemas/lists';
import { parseUnbounded, parseResponseJson } from '../../gateway/schemas/responseJson';
import { median } from './measure';
import { videoSubmission, videoTaskReport } from '../../gateway/schemas/video';

const ID = 'task-0190f3a6c2e47d11';
const head = { id: 'generation-1', object: 'video.generation', created: 1_750_000_000, model: 'm' };
const task = {
	id: ID,
	status: 'processing',
	url: null,
	revised_prompt: 'A paper boat drifts down a gutter at dawn, slow tracking shot, soft light',
};
const running = { ...task, progress: 42, created_at: 1_750_000_000 };
const completed = {
	...{ ...running, status: 'completed', progress: 100, completed_at: 1_750_000_090 },
	url: `https://files.example.com/videos/${ID}.mp4?signature=0c4a9be1`,
	metadata: { duration: 5, size: '1280x720', fps: 24, format: 'mp4' },
};
const wait = {
	code: 'rate_limit_exceeded',
	message: 'Too many requests for this model. Please slow down.',
	data: { retry_after: 3 },
};

const asTask = (value: unknown) => taskFrom(value, { ids: [ID], url: '' });
const asSubmission = (value: unknown) => submissionFrom(value, () => '');

type Read = (json: string) => { success: boolean };

/** What the document shows, and how the client reads it: code that both builds share. */
const ANSWERS: Record<string, { answer: object; read: Read }> = {
	'a running poll': {
		answer: running,
		read: (json) => readAs(parseUnbounded(json), videoTaskReport, asTask),
	},
	'a completed poll': {
		answer: completed,
		read: (json) => readAs(parseUnbounded(json), videoTaskReport, asTask),
	},
	'a submission': {
		answer: { ...head, data: [task] },
		read: (json) => readAs(parseUnbounded(json), videoSubmission, asSubmission),
	},
	'an error body': {
		answer: wait,
		read: (json) => readAs(parseResponseJson(json), errorBody, errorFrom),
	},
};
export const DOCUMENTED = Object.keys(ANSWERS);

const plainParse: Read = (json) => ({ success: JSON.parse(json) !== null });

/** A collection of the garbage of all that the process has loaded takes as long as some thousand answers. */
const BATCHES = 10;

/** Microseconds of CPU to read each answer once, of so many times in batches: the median of these. */
export function readDocumented(times: number, isPlain: boolean): Record<string, number> {
	return Object.fromEntries(
		Object.entries(ANSWERS).map(([name, { answer, read }]) => {
			const json = JSON.stringify(answer);
			const parse = isPlain ? plainParse : read;
			const batch = () => {
				const before = process.cpuUsage();
				for (let count = 0; count < times / BATCHES; count += 1)
					if (!parse(json).success) throw new Error(`${name} was not read`);
				const { user, system } = process.cpuUsage(before);
				return ((user + system) * BATCHES) / times;
			};
			return [name, median(Array.from({ length: BATCHES }, batch))];
		}),
	);
}

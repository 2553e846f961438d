import { END, head, part, whole } from '../../../simulator/delivery';
import { damage } from '../../../simulator/faults/effects/damage';
import { failed } from '../../../simulator/faults/effects/task';
import { event } from '../../../simulator/chat/complete';

/** How a model answers, unless in words: as JSON, alone or in a code block. */
export const ANSWERS = ['json', 'fenced'] as const;
type As = (typeof ANSWERS)[number] | undefined;

export function answerText(message: string, as: As): string {
	const words = `answer to ${message}`;
	if (as === undefined) return words;
	const json = JSON.stringify({ answer: words });
	return as === 'json' ? json : `Here it is:\n\`\`\`json\n${json}\n\`\`\`\n`;
}

/** What the service says of a task that failed. */
const FAILURE = { code: 'frame_refused', message: 'Frame 7 shows a trade mark.' };
export const failedWithError = failed(FAILURE);
export const failedWithText = failed(FAILURE.message);

/** The calls of a model that calls a tool twice: with what it would have answered. */
export function callsFor(text: string) {
	return ['first', 'second'].map((number) => ({
		id: `call-${number}`,
		type: 'function',
		function: { name: `look_up_${number}`, arguments: JSON.stringify({ text, number }) },
	}));
}

interface Chunk {
	choices: Array<{ delta?: { content?: string }; message?: { content?: string } }>;
}

/** The model calls tools instead of answering; a stream sends the arguments of both calls by turns. */
export const toolCalls = damage((response) => {
	const { events, headers, status, body } = response;
	if (events === undefined) {
		const value = JSON.parse(body.toString()) as Chunk;
		const [choice] = value.choices;
		const calls = callsFor(choice?.message?.content ?? '');
		const message = { role: 'assistant', content: null, tool_calls: calls };
		const choices = [{ ...choice, message, finish_reason: 'tool_calls' }];
		return whole({ ...response, body: Buffer.from(JSON.stringify({ ...value, choices })) });
	}
	const chunks = events.map((text) =>
		text.includes('[DONE]') ? undefined : (JSON.parse(text.slice('data: '.length)) as Chunk),
	);
	const end = chunks.findLastIndex((chunk) => chunk && chunk.choices.length > 0);
	const text = chunks.map((chunk) => chunk?.choices[0]?.delta?.content ?? '').join('');
	const withDelta = (delta: object, finish_reason: string | null = null) =>
		event({ ...chunks[0], choices: [{ index: 0, delta, finish_reason }] });
	return [
		head(status, headers),
		...[
			...events.slice(0, 1),
			...deltasOf(text).map((call) => withDelta({ tool_calls: [call] })),
			withDelta({}, 'tool_calls'),
			...events.slice(end + 1),
		].map(part),
		END,
	];
});

function deltasOf(text: string): object[] {
	const calls = callsFor(text);
	const begun = calls.map((call, index) => ({
		...call,
		index,
		function: { ...call.function, arguments: '' },
	}));
	const third = Math.ceil((calls[1]?.function.arguments.length ?? 0) / 3);
	const pieces = [0, 1, 2].flatMap((place) =>
		calls.map((call, index) => ({
			index,
			function: {
				arguments: call.function.arguments.slice(place * third, (place + 1) * third),
			},
		})),
	);
	return [...begun, ...pieces];
}

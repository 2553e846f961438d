import { isDeepStrictEqual } from 'node:util';
import type { IDataObject } from 'n8n-workflow';
import type { Scenario, ScenarioNode } from '../scenario/schema';
import { unchanging } from '../scenario/workflow';
import { answerText, callsFor } from '../service/answers';

/** What the service answers: up to a stop sequence, and a few words where Max Tokens allows no more. */
export function answerTo(
	{ service }: Scenario,
	node: ScenarioNode | undefined,
	prompt: string,
): string {
	const text = answerText(prompt, service.answers);
	const { stop, maxTokens } = node !== undefined && 'form' in node ? (node.form ?? {}) : {};
	const stops = Array.isArray(stop) ? stop.filter((each) => each !== '') : [];
	const ends = stops.map((each) => text.indexOf(each)).filter((end) => end >= 0);
	const whole = text.slice(0, Math.min(text.length, ...ends));
	return maxTokens === 3 ? (whole.match(/\s*\S+\s*$|\s*\S+/g) ?? []).slice(0, 3).join('') : whole;
}

/** What comes before the message in each answer. */
export function opening({ service }: Scenario): string {
	return answerText('@', service.answers).split('@')[0] ?? '';
}

/** As long as any other prompt. */
const ANY = 'p1 for A';

/** Whether an answer contains the JSON that the node asks for. */
export function isJson(scenario: Scenario, node: ScenarioNode): boolean {
	const { answers } = scenario.service;
	return answers !== undefined && answerTo(scenario, node, ANY) === answerText(ANY, answers);
}

/** An answer is its text, or the calls that the model makes instead, whole and in order. */
export function unlikeAnswer(text: unknown, calls: unknown, expected: string): string | undefined {
	const made = Array.isArray(calls) ? (calls as IDataObject[]).map(callOf) : [];
	const asked = callsFor(expected).map(callOf);
	if (made.length === 0 && unchanging(String(text)) === unchanging(expected)) return undefined;
	const isEmpty = text === '' || text === null || text === undefined;
	if (isEmpty && isDeepStrictEqual(made, asked)) return undefined;
	return made.length > 0 ? JSON.stringify(made) : String(text);
}

/** A call as the service, or as a chat model of n8n has it. */
function callOf({ id, name, args, function: called }: IDataObject): IDataObject {
	const { name: given = name, arguments: text } = (called ?? {}) as IDataObject;
	const values = (text === undefined ? args : valuesOf(String(text))) as IDataObject;
	return { id, name: given, ...values, text: unchanging(String(values.text)) } as IDataObject;
}

function valuesOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return { text };
	}
}

/** The JSON of an answer is an object of its own. */
export function unlikeJson(json: unknown, expected: string): boolean {
	const { answer } = (json ?? {}) as { answer?: unknown };
	return !expected.includes(JSON.stringify(unchanging(String(answer))));
}

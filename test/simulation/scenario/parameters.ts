import type { INodeParameters } from 'n8n-workflow';
import { messagesOf } from './conversations';
import type { ChatNode, Scenario, ScenarioNode, VideoNode } from './schema';

/** The form of a node, filled in. */
export function parametersOf(node: ScenarioNode, shape: Scenario['shape']): INodeParameters {
	const isTool = shape === 'agent';
	const { requestOptions = {} } = node;
	if (node.kind === 'list') {
		const { limit, ...filters } = node.only ?? {};
		const wanted = limit === undefined ? { returnAll: true } : { returnAll: false, limit };
		return { ...wanted, filters, requestOptions };
	}
	const model = { __rl: true, mode: 'id', value: node.model };
	if (node.kind === 'model') return { model, options: { ...node.form, ...requestOptions } };
	const prompt = isTool ? "={{ $fromAI('prompt') }}" : expressionOf(node, shape === 'loop');
	if (node.kind === 'chat') {
		const { stream, jsonOutput, simplify = true } = node;
		const options = {
			...(stream !== undefined && { stream }),
			...(jsonOutput && { jsonOutput }),
			...node.form,
			...billedOptions(node),
		};
		return {
			model,
			...messagesFrom(node, prompt),
			simplify,
			options,
			requestOptions,
		};
	}
	const { operation, n, inline, download = false, fileName, simplify = true, wait = {} } = node;
	const isNew = operation === 'generate' || operation === 'submit';
	const { size, duration, ...others } = node.form ?? {};
	return {
		operation,
		...(isNew && {
			model,
			prompt,
			...(size !== undefined && { size }),
			...(duration !== undefined && { duration }),
			options: {
				...others,
				...(n !== undefined && { n }),
				...(inline && { responseFormat: 'b64_json' }),
				...billedOptions(node),
			},
		}),
		...(!isNew && {
			taskId: isTool ? "={{ $fromAI('prompt') }}" : TASK_ID[node.taskId ?? 'plain'],
			options: { ...(node.includeInputFields && { includeInputFields: true }) },
		}),
		...(operation !== 'submit' && { download }),
		...(operation !== 'submit' && download && fileName && { fileName: FILE_NAME }),
		...((operation === 'generate' || operation === 'wait') && { waitOptions: wait }),
		simplify,
		requestOptions,
	};
}

const TASK_ID: Record<NonNullable<VideoNode['taskId']> | 'plain', string> = {
	plain: '={{ $json.task_id }}',
	spaced: "={{ ' ' + $json.task_id + ' ' }}",
	empty: "={{ '' }}",
	URL: "={{ 'https://files.test/' + $json.task_id }}",
	query: "={{ $json.task_id + '?x=1' }}",
	'too long': "={{ 'a'.repeat(2001) }}",
};

/** The list of the form, or JSON with the expression of the prompt in it. */
function messagesFrom({ conversation }: ChatNode, prompt: string): INodeParameters {
	if (conversation === undefined)
		return { messages: { values: [{ role: 'user', content: prompt }] } };
	const [, code] = /^=\{\{(.*)\}\}$/s.exec(prompt) ?? [];
	const json = JSON.stringify(messagesOf(conversation, PLACE));
	const text = code === undefined ? JSON.stringify(prompt) : `{{ JSON.stringify(${code}) }}`;
	return { messagesSource: 'json', messagesJson: `=${json.replace(`"${PLACE}"`, () => text)}` };
}

/** Of the prompt. */
const PLACE = '@prompt@';

/** A name that differs by item where the item has its number. */
const FILE_NAME = "={{ 'clip ' + $json.index }}";

function billedOptions({
	maxBillable,
	includeInputFields,
	additionalBody,
}: Extract<ScenarioNode, { kind: 'chat' | 'video' }>): INodeParameters {
	return {
		...(maxBillable !== undefined && {
			maxBillableRequests: maxBillable === 'nothing' ? '={{ $json.nothing }}' : maxBillable,
		}),
		...(includeInputFields && { includeInputFields }),
		...(additionalBody && { additionalBody: '{"seed": 7}' }),
	};
}

/** In a loop, n8n's own node hands on one item after the other, as if it were the first. */
function expressionOf({ prompt, name }: { prompt: string; name: string }, isLoop: boolean): string {
	if (prompt === 'fixed') return `same for ${name}`;
	if (prompt === 'missing') return `=about {{ $json.topic }} for ${name}`;
	// The item of the trigger: any node before may have changed the rest.
	const item = `$('${isLoop ? 'Loop' : 'Start'}').item.json`;
	const text = `${item}.p && ${item}.p + ' for ${name}${prompt === 'changing' ? " #' + Math.random()" : "'"}`;
	return `={{ ${item}.throws ? $('Nowhere').item.json.p : (${text}) }}`;
}

import type { INodeParameters } from 'n8n-workflow';
import type { Scenario, ScenarioNode } from './schema';

/** The form of a node, filled in. */
export function parametersOf(node: ScenarioNode, shape: Scenario['shape']): INodeParameters {
	const isTool = shape === 'agent';
	const sending = node.options ?? {};
	if (node.kind === 'list') return { returnAll: true, filters: {}, options: sending };
	const model = { __rl: true, mode: 'id', value: node.model };
	if (node.kind === 'model') return { model, options: sending };
	const prompt = isTool ? "={{ $fromAI('prompt') }}" : expressionOf(node, shape === 'loop');
	if (node.kind === 'chat') {
		const { stream, jsonOutput, simplify = true } = node;
		const options = {
			...(stream !== undefined && { stream }),
			...(jsonOutput && { jsonOutput }),
			...billedOptions(node),
			...sending,
		};
		return {
			model,
			messages: { values: [{ role: 'user', content: prompt }] },
			simplify,
			options,
		};
	}
	const { operation, n, inline, download = false, fileName, simplify = true, wait = {} } = node;
	const isNew = operation === 'generate' || operation === 'submit';
	return {
		operation,
		...(isNew && {
			model,
			prompt,
			options: {
				...(n !== undefined && { n }),
				...(inline && { responseFormat: 'b64_json' }),
				...billedOptions(node),
				...sending,
			},
		}),
		...(!isNew && {
			taskId: isTool ? "={{ $fromAI('prompt') }}" : '={{ $json.task_id }}',
			options: { ...(node.includeInputFields && { includeInputFields: true }), ...sending },
		}),
		...(operation !== 'submit' && { download }),
		...(operation !== 'submit' && download && fileName && { fileName: FILE_NAME }),
		...((operation === 'generate' || operation === 'wait') && { waitOptions: wait }),
		simplify,
	};
}

/** A name that differs by item where the item has its number. */
const FILE_NAME = "={{ 'clip ' + $json.index }}";

function billedOptions({
	maxBillable,
	includeInputFields,
}: Extract<ScenarioNode, { kind: 'chat' | 'video' }>): INodeParameters {
	return {
		...(maxBillable !== undefined && {
			maxBillableRequests: maxBillable === 'nothing' ? '={{ $json.nothing }}' : maxBillable,
		}),
		...(includeInputFields && { includeInputFields }),
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

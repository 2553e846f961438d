import type { INode, INodeParameters } from 'n8n-workflow';
import type { ScenarioEvent } from '../scenario/schema';
import type { Row } from './rows';

/** What a user who edits the workflow sets. */
export const EDITED_MAX_WAIT_S = 3_600;

type SecondExecution = Extract<ScenarioEvent, { what: 'second' }>;

/** Chat models and video models come in pairs. */
function otherModel(model: string): string {
	return model.endsWith('a') ? model.replace(/a$/, 'b') : model.replace(/b$/, 'a');
}

/** The nodes of a workflow, and of one that it calls. */
function allNodes({ nodes }: Row['workflow']): INode[] {
	return nodes.flatMap((node) => {
		const called = node.parameters.workflow as unknown as Row['workflow'] | undefined;
		return called === undefined ? [node] : [node, ...allNodes(called)];
	});
}

/** With other options, which make no other request. */
export function edited(original: Row['workflow']): Row['workflow'] {
	const workflow = structuredClone(original);
	for (const { parameters } of allNodes(workflow))
		if ('waitOptions' in parameters)
			parameters.waitOptions = {
				...(parameters.waitOptions as object),
				maxWait: EDITED_MAX_WAIT_S,
			};
	return workflow;
}

/** With another Response Format and a User, which make the same video. */
export function reformatted(original: Row['workflow']): Row['workflow'] {
	const workflow = structuredClone(original);
	for (const { parameters } of allNodes(workflow)) {
		if (!/^(generate|submit)$/.test(String(parameters.operation))) continue;
		const options = parameters.options as { responseFormat?: string };
		const responseFormat = options.responseFormat === 'b64_json' ? 'url' : 'b64_json';
		parameters.options = { ...options, responseFormat, user: 'edited' };
	}
	return workflow;
}

/** What a second execution adds to its prompts; as all that follows a `#`, it is no part of what a prompt is called. */
const OF_SECOND = ' #2';

function tagged(parameters: INodeParameters): void {
	const tag = (text: string) => text.replace(/( for [A-C])(?=$|'| #)/, `$1${OF_SECOND}`);
	if (typeof parameters.prompt === 'string') parameters.prompt = tag(parameters.prompt);
	const { values = [] } = (parameters.messages ?? {}) as { values?: Array<{ content: string }> };
	for (const message of values) message.content = tag(message.content);
}

/** The workflow of another user, or with other models. */
export function another(
	original: Row['workflow'],
	{ key, otherModels }: SecondExecution,
): Row['workflow'] {
	const workflow = structuredClone(original);
	for (const { credentials, parameters } of allNodes(workflow)) {
		if (key === 'other' && credentials?.generationServiceApi)
			credentials.generationServiceApi.name = 'Other';
		const { model } = parameters;
		if (otherModels && typeof model === 'object' && model !== null && 'value' in model)
			model.value = otherModel(String(model.value));
		tagged(parameters);
	}
	return workflow;
}

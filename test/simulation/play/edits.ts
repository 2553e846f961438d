import type { LifeEvent } from '../life/schema';
import type { Row } from './n8nServer';

/** What a user who edits the workflow sets. */
export const EDITED_MAX_WAIT_S = 3_600;

type SecondExecution = Extract<LifeEvent, { what: 'second' }>;

/** Chat models and video models come in pairs. */
function otherModel(model: string): string {
	return model.endsWith('a') ? model.replace(/a$/, 'b') : model.replace(/b$/, 'a');
}

/** With other options, which make no other request. */
export function edited(original: Row['workflow']): Row['workflow'] {
	const workflow = structuredClone(original);
	for (const { parameters } of workflow.nodes)
		if ('waitOptions' in parameters)
			parameters.waitOptions = {
				...(parameters.waitOptions as object),
				maxWait: EDITED_MAX_WAIT_S,
			};
	return workflow;
}

/** The workflow of another user, or with other models. */
export function another(
	original: Row['workflow'],
	{ key, otherModels }: SecondExecution,
): Row['workflow'] {
	const workflow = structuredClone(original);
	for (const { credentials, parameters } of workflow.nodes) {
		if (key === 'other' && credentials?.generationServiceApi)
			credentials.generationServiceApi.name = 'Other';
		const { model } = parameters;
		if (otherModels && typeof model === 'object' && model !== null && 'value' in model)
			model.value = otherModel(String(model.value));
	}
	return workflow;
}

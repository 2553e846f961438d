import { simplifyProperty } from '../shared/form/sharedProperties';
import { optionsProperty, readBillableVideo, requestProperties } from './form/request';
import { readOutput } from './form/result';
import type { Operation } from './tasks/operation';

/** Submits a video, and continues without waiting. */
export const submit: Operation = {
	option: {
		name: 'Submit',
		action: 'Submit a video',
		description: 'Submit a video and continue without waiting',
	},
	properties: [...requestProperties, simplifyProperty, optionsProperty],
	outputFields: {
		status: 'string',
		url: 'null',
		task_id: 'string',
		created_at: 'integer',
		model: 'string',
		request_id: 'string',
		revised_prompt: 'string',
	},
	plan: (form, item, options) => ({
		video: readBillableVideo(form, item, options),
		outputOptions: readOutput(form, item, options),
	}),
};

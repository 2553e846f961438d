import { simplifyProperty } from '../shared/form/sharedProperties';
import { optionsProperty, readBillableVideo, requestProperties } from './form/request';
import { downloadProperties, readOutput } from './form/result';
import { readWait, waitOptionsProperty } from './form/wait';
import { generatedFields } from './tasks/output';
import type { Operation } from './tasks/operation';

/** Submits as Submit does, then waits as Wait does. */
export const generate: Operation = {
	option: {
		name: 'Generate',
		action: 'Generate a video',
		description: 'Submit a video and wait until it is finished, typically one to three minutes',
	},
	properties: [
		...requestProperties,
		...downloadProperties,
		simplifyProperty,
		optionsProperty,
		waitOptionsProperty,
	],
	outputFields: generatedFields,
	plan: (form, item, options) => ({
		video: readBillableVideo(form, item, options),
		outputOptions: readOutput(form, item, options),
		waitOptions: readWait(form, item),
	}),
};

import { simplifyProperty } from '../shared/form/sharedProperties';
import { generatedFields } from './output';
import { downloadProperties, readOutput, readWait, waitOptionsProperty } from './resultOptions';
import { type Operation, planSubmission } from './submit';
import { optionsProperty, requestProperties } from './videoRequest';

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
		...planSubmission(form, item, options),
		outputOptions: readOutput(form, item, options),
		waitOptions: readWait(form, item),
	}),
};

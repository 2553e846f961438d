import { simplifyProperty } from '../shared/form/sharedProperties';
import { downloadProperties, outputOptionsProperty, readOutput } from './form/result';
import { readTaskIds, taskIdProperty } from './form/taskId';
import { readWait, waitOptionsProperty } from './form/wait';
import { taskFields } from './tasks/output';
import type { Operation } from './tasks/operation';

/** Waits for a task that was submitted earlier. */
export const wait: Operation = {
	option: {
		name: 'Wait',
		action: 'Wait for a video',
		description: 'Wait until a video submitted earlier is finished',
	},
	properties: [
		taskIdProperty,
		...downloadProperties,
		simplifyProperty,
		outputOptionsProperty,
		waitOptionsProperty,
	],
	outputFields: taskFields,
	plan: (form, item, options) => ({
		taskIds: readTaskIds(form, item),
		outputOptions: readOutput(form, item, options),
		waitOptions: readWait(form, item),
	}),
};

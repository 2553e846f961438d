import { simplifyProperty } from '../shared/form/sharedProperties';
import { downloadProperties, outputOptionsProperty, readOutput } from './form/result';
import { readTaskIds, taskIdProperty } from './form/taskId';
import { taskFields } from './tasks/output';
import type { Operation } from './tasks/operation';

/** Polls a task once, and downloads its video if it is finished and Download is on. */
export const get: Operation = {
	option: {
		name: 'Get',
		action: 'Get a video',
		description: 'Get the status and the URL of a video submitted earlier',
	},
	properties: [taskIdProperty, ...downloadProperties, simplifyProperty, outputOptionsProperty],
	outputFields: taskFields,
	plan: (form, item, options) => ({
		taskIds: readTaskIds(form, item),
		outputOptions: readOutput(form, item, options),
	}),
};

import {
	type INodeProperties,
	type INodePropertyOptions,
	updateDisplayOptions,
} from 'n8n-workflow';
import { parseTaskId } from '../../gateway';
import type { FormReader } from '../shared/form/formReader';
import type { OutputFields, OutputFieldsByFile } from '../shared/form/outputItem';
import { simplifyProperty } from '../shared/form/sharedProperties';
import { generatedFields, submissionFields, taskFields } from './item';
import { downloadProperties, outputOptionsProperty, waitOptionsProperty } from './resultOptions';
import { planSubmission } from './submit';
import { optionsProperty, requestProperties } from './videoRequest';
import type { Plan } from './videoTasks';

export interface Operation {
	option: Omit<INodePropertyOptions, 'value'>;
	properties: INodeProperties[];
	outputFields: OutputFields;
	/**
	 * Reads an item.
	 * @throws InvalidInputError
	 */
	plan: (form: FormReader, item: number) => Plan;
}

const taskIdProperty: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	default: '={{ $json.task_id }}',
	required: true,
	description:
		'The task_id that Submit or Generate returned. The service keeps tasks for about 7 days.',
};

export const operations: Record<string, Operation> = {
	generate: {
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
		plan: planSubmission,
	},
	get: {
		option: {
			name: 'Get',
			action: "Get a video's status",
			description: 'Get the status and the URL of a video submitted earlier',
		},
		properties: [taskIdProperty, ...downloadProperties, simplifyProperty, outputOptionsProperty],
		outputFields: taskFields,
		plan: planTask,
	},
	submit: {
		option: {
			name: 'Submit',
			action: 'Submit a video without waiting',
			description: 'Submit a video and continue without waiting',
		},
		properties: [...requestProperties, simplifyProperty, optionsProperty],
		outputFields: submissionFields,
		plan: planSubmission,
	},
	wait: {
		option: {
			name: 'Wait',
			action: 'Wait for a submitted video',
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
		plan: planTask,
	},
};

export const outputFields: OutputFieldsByFile = Object.fromEntries(
	Object.entries(operations).map(([name, operation]) => [
		`v1.0.0/video/${name}`,
		operation.outputFields,
	]),
);

/**
 * The choice of an operation, and the fields of each. n8n names a tool and a node on the canvas by the action of the
 * operation, but only where a resource shows that operation.
 */
export const operationProperties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'hidden',
		noDataExpression: true,
		options: [{ name: 'Video', value: 'video' }],
		default: 'video',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['video'] } },
		options: Object.entries(operations).map(([value, { option }]) => ({ ...option, value })),
		default: 'generate',
	},
	...propertiesOf(operations),
];

/**
 * The fields of all operations in the order that each has, one property a name, with every operation that shows it: of several
 * with one name, n8n's builder and its MCP server read the first. Only Options differs.
 */
function propertiesOf(all: Record<string, Operation>): INodeProperties[] {
	const gathered: Array<{ property: INodeProperties; operation: string[] }> = [];
	for (const [name, { properties }] of Object.entries(all)) {
		let place = 0;
		for (const property of properties) {
			const known = gathered.find((each) => each.property === property);
			if (known) known.operation.push(name);
			else gathered.splice(place, 0, { property, operation: [name] });
			place = gathered.findIndex((each) => each.property === property) + 1;
		}
	}
	return gathered.flatMap(({ property, operation }) =>
		updateDisplayOptions({ show: { operation } }, [property]),
	);
}

/**
 * The entry of an item about a task that someone submitted earlier, wherever that was.
 * @throws InvalidInputError
 */
function planTask(form: FormReader, itemIndex: number): Plan {
	const value = form.read('taskId', itemIndex);
	// A line break comes along with a pasted ID. What an expression reads is the ID as the service wrote it.
	const isPasted = typeof value === 'string' && form.isText('taskId');
	const id = parseTaskId(isPasted ? value.trim() : value);
	return ({ book, service }, item) => ({
		entry: book.add({ item, tasks: [{ state: 'open', entry: service.gateway.knownTask(id) }] }),
	});
}

import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { BookEntry } from '../../shared/book/schema';
import type { FormReader } from '../../shared/form/formReader';
import type { OutputFields } from '../../shared/output/item';
import type { BillableVideo } from '../form/request';
import { taskIdProperty } from '../form/taskId';

/** What an operation asks for an item: videos to submit, or a task; how to wait for them, and what their items look like. */
export interface Plan extends Pick<BookEntry, 'waitOptions' | 'outputOptions'> {
	video?: BillableVideo;
	/** Of tasks that someone submitted earlier. */
	taskIds?: string[];
}

export interface Operation {
	option: Omit<INodePropertyOptions, 'value'> & { action: string };
	properties: INodeProperties[];
	outputFields: OutputFields;
	/**
	 * Reads an item.
	 * @param options the collection Options, which is read once
	 * @throws GatewayError
	 */
	plan: (form: FormReader, item: number, options: Record<string, unknown>) => Plan;
}

/** Whether an operation finds its tasks in the form, and submits none. */
export function findsTasks({ properties }: Operation): boolean {
	return properties.includes(taskIdProperty);
}

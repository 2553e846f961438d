import type { Simulator } from '../../../simulator';
import type { NodeGiven } from '../../browser/workflow';

/** n8n's Wait node, which waits in the database from 65 s on. */
export function waitNode(seconds: number): NodeGiven {
	return {
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		parameters: { amount: seconds, unit: 'seconds' },
		webhookId: 'wait',
	};
}

/** Submits a video without this package. */
export function submitByHttp({ url, key }: Pick<Simulator, 'url' | 'key'>): NodeGiven {
	return {
		name: 'Submit',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			method: 'POST',
			url: `${url}/media/v1/video/generations`,
			sendHeaders: true,
			headerParameters: { parameters: [{ name: 'Authorization', value: `Bearer ${key}` }] },
			sendBody: true,
			specifyBody: 'json',
			jsonBody: JSON.stringify({ model: 'kite-motion', prompt: 'A boat' }),
			options: {},
		},
	};
}

import type { INodeParameters } from 'n8n-workflow';
import { type RawResponse, rawJson, rawResponse } from '../../engine/rawServer';
import { runNode } from '../../engine/runNode';
import { useRawServer } from '../../engine/useServers';
import { chatNode } from './chatNode';

export const service = useRawServer();

/** The item for a response that the simulator never sends: exact bytes, the text of a stream, or JSON. */
export async function itemOf(
	response: RawResponse | string | object,
	parameters: INodeParameters = {},
	streaming = false,
) {
	service.respond = () => {
		if (typeof response === 'string')
			return rawResponse('200 OK', response, { 'content-type': 'text/event-stream' });
		if ('packets' in response) return response;
		return rawJson(response);
	};
	const { items, chunks, hints } = await runNode(service, {
		...chatNode(parameters),
		onError: 'continueRegularOutput',
		streaming,
	});
	expect(items).toHaveLength(1);
	return { json: items[0]!.json, chunks, hints };
}

/** The item for a stream of these chunks, for which the node asked. */
export async function itemOfStream(chunks: object[], parameters: INodeParameters = {}) {
	const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
	const stream = events.map((event) => `data: ${event}\n\n`).join('');
	return await itemOf(stream, { ...parameters, options: { stream: true } });
}

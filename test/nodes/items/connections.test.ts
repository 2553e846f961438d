import { rawJson } from '../../engine/rawServer';
import { runNode } from '../../engine/runNode';
import { useRawServer } from '../../engine/useServers';
import { videoNode } from '../video/videoNode';

const service = useRawServer();

test('a service that closes idle connections just as a request arrives gets each submission, and a retry, over a new one', async () => {
	let tasks = 0;
	service.respond = (_request, earlier) => {
		if (earlier > 0) return { packets: [], then: 'is reset' };
		if (service.requests.length === 1)
			return rawJson(
				{ code: 'service_unavailable', message: 'Busy', data: null },
				'503 Service Unavailable',
			);
		return rawJson({ id: 'r', data: [{ id: `task-${(tasks += 1)}`, status: 'processing' }] });
	};
	const options = { maxConcurrency: 1, maxRetries: 1 };
	const { items } = await runNode(service, {
		...videoNode({ operation: 'submit', options }),
		items: Array.from({ length: 5 }, () => ({})),
	});
	expect(items).toHaveLength(5);
	expect(service.requests).toHaveLength(6);
	expect(service.connections).toBe(6);
	for (const request of service.requests) expect(request).toMatch(/\r\nconnection: close\r\n/i);
});

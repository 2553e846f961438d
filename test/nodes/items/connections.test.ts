import { rawResponse } from '../../engine/rawServer';
import { runNode } from '../../engine/runNode';
import { useRawServer } from '../../engine/useServers';
import { videoNode } from '../video/videoNode';

describe('a service that closes idle connections just as a request arrives', () => {
	const service = useRawServer();
	let tasks = 0;
	const submission = () =>
		JSON.stringify({ id: 'r', data: [{ id: `task-${(tasks += 1)}`, status: 'processing' }] });
	const busy = JSON.stringify({ code: 'service_unavailable', message: 'Busy', data: null });

	const submit = async (items: number) =>
		await runNode(service, {
			...videoNode({
				operation: 'submit',
				requestOptions: { maxConcurrency: 1, maxRetries: 1 },
			}),
			items: Array.from({ length: items }, () => ({})),
		});

	test('gets each submission of a batch over a new connection', async () => {
		service.respond = (_request, earlier) =>
			earlier > 0 ? { packets: [], then: 'is reset' } : rawResponse('200 OK', submission());
		const { items } = await submit(5);
		expect(items).toHaveLength(5);
		expect(service.requests).toHaveLength(5);
		expect(service.connections).toBe(5);
		expect(service.requests.every((request) => /\r\nconnection: close\r\n/i.test(request))).toBe(
			true,
		);
	});

	test('gets the retry of a submission over a new connection', async () => {
		service.respond = (_request, earlier) => {
			if (earlier > 0) return { packets: [], then: 'is reset' };
			return service.requests.length === 1
				? rawResponse('503 Service Unavailable', busy)
				: rawResponse('200 OK', submission());
		};
		const { items } = await submit(1);
		expect(items).toHaveLength(1);
		expect(service.connections).toBe(2);
	});
});

import { runNode } from '../engine/runNode';
import { useRawServer } from '../engine/useServers';
import { chatNode } from '../nodes/chat/chatNode';

const service = useRawServer();

test.each(['000 Nothing', '001 One', '099 Almost', '00 Short', '0000 Long', 'ABC No', '-20 Minus'])(
	'a response with the status "%s" is no HTTP',
	async (status) => {
		const packets = [Buffer.from(`HTTP/1.1 ${status}\r\ncontent-length: 2\r\n\r\n{}`)];
		service.respond = () => ({ packets, then: 'ends' });
		const { error } = await runNode(service, chatNode({ options: { maxRetries: 0, timeout: 5 } }));
		expect(error).toMatchObject({
			message: 'The server did not return a valid HTTP response [item 0]',
			description: expect.stringMatching(/another server may be responding.*may be billed twice/),
		});
		expect(error?.description).not.toMatch(/fault of its own|Report/);
	},
);

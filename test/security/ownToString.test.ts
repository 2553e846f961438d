import { completionFrom, errorFrom, submissionFrom, taskFrom } from '../../gateway/dialects';
import { videoTaskReport } from '../../gateway/schemas/video';
import { useSimulator } from '../engine/useServers';
import { runNode } from '../engine/runNode';
import { videoNode } from '../nodes/video/videoNode';

// JavaScript cannot make a text of it: "Cannot convert object to primitive value".
const STRANGE = { toString: 1 };
const simulator = useSimulator();
const asked = { ids: ['task-1'], url: 'https://service.test/task-1' };

test.each(['taskId', 'prompt'])('an item whose %s is such an object is refused', async (name) => {
	const operation = name === 'taskId' ? 'get' : 'submit';
	const node = videoNode({ operation, [name]: '={{ $json.value }}' });
	const { items } = await runNode(simulator, {
		...node,
		items: [{ value: STRANGE }],
		onError: 'continueRegularOutput',
	});
	expect(items[0]?.json.error).toMatchObject({ code: 'invalid_input' });
});

test('an answer with such an object in any field is read as far as it goes', () => {
	const error = { code: STRANGE, type: STRANGE, status: STRANGE, message: 'No' };
	expect(errorFrom(error)).toMatchObject({ message: 'No' });
	expect(errorFrom({ error })).toMatchObject({ message: 'No' });
	const task = { id: 'task-1', status: STRANGE, state: 'queued', progress: STRANGE };
	expect(videoTaskReport.lenient.parse(taskFrom(task, asked))).toMatchObject({ status: 'queued' });
	expect(taskFrom({ ...task, name: STRANGE, error: STRANGE, type: STRANGE }, asked)).toBeDefined();
	const data = [{ id: 'task-1', status: STRANGE, url: STRANGE }];
	expect(submissionFrom({ data }, String)).toMatchObject({
		data: [{ status: 'processing', url: null }],
	});
	const tool_calls = [{ id: STRANGE, function: { name: 'find', arguments: STRANGE } }];
	const choices = [{ message: { content: 'Hi', tool_calls }, finish_reason: STRANGE }];
	expect(completionFrom({ choices, id: STRANGE })).toMatchObject({ choices: [{ end: undefined }] });
});

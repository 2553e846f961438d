// What the document promises, without a word of any dialect. A door that is closed gives back what it gets.
jest.mock('../../gateway/dialects', () => jest.requireActual<object>('./door'));

import '../interface/builder.test';
import '../interface/client.test';
import '../interface/nodes.test';

test('the door is closed', () => {
	const { completionFrom } = jest.requireMock<typeof import('./door')>('../../gateway/dialects');
	const foreign = { data: { choices: [{ delta: { content: 'Good day' } }] } };
	expect(completionFrom(foreign)).toBe(foreign);
});

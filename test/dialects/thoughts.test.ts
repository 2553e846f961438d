import { hasOnlyThoughts, withoutThoughts } from '../../gateway/dialects';

const DRAFT = 'First {"score":1}.';
const ANSWER = '{"score":5}';

test.each([
	...['think', 'thinking', 'thought', 'reasoning', 'analysis'].flatMap((name) => [
		[`<${name}> that ends`, `<${name}>${DRAFT}</${name}>${ANSWER}`, ANSWER],
		[`<${name}> that only ends`, `${DRAFT}\n</${name}>${ANSWER}`, ANSWER],
		[`<${name}> that only begins`, `<${name}>${DRAFT}\n${ANSWER}`, ''],
	]),
	['marks in capitals', `<THINK>${DRAFT}</Think>${ANSWER}`, ANSWER],
	[
		'two thoughts',
		`<think>a</think><think>b</think>\n  <think>c</think>${ANSWER}`,
		`\n  ${ANSWER}`,
	],
	['one inside another', `<thinking>\n<thinking>${DRAFT}</thinking>\n</thinking>${ANSWER}`, ANSWER],
	['a thought behind the answer', `${ANSWER}\n<think>${DRAFT}</think>`, `${ANSWER}\n`],
	['a thought that breaks off behind the answer', `${ANSWER}\n<think>${DRAFT}`, `${ANSWER}\n`],
	[
		'channels',
		`<|channel|>analysis<|message|>${DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>${ANSWER}<|return|>`,
		ANSWER,
	],
	[
		'a channel with a format',
		`<|channel|>analysis<|message|>${DRAFT}<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>${ANSWER}`,
		ANSWER,
	],
	['channels without the last one', `<|channel|>analysis<|message|>${DRAFT}`, ''],
	['channels without marks', `analysis${DRAFT}assistantfinal${ANSWER}`, ANSWER],
])('without its thoughts, a text has its answer alone: %s', (_what, text, rest) => {
	expect(withoutThoughts(text)).toBe(rest);
});

test.each([
	'The mark <think> begins a thought',
	'{"text":"<think>a"}',
	'<thinker>a</thinker>',
	'analysis of the final score',
	'final answer: 5',
])('a text that only looks like thoughts stays as it is: %s', (text) => {
	expect(withoutThoughts(text)).toBe(text);
});

test.each([
	['<think>Hm', true],
	['<think>Hm</think>\n', true],
	['<|channel|>analysis<|message|>Hm', true],
	['<think>Hm</think>Hello', false],
	// Some are asked to answer in such a section.
	['<analysis>It rains</analysis>', false],
	['', false],
])('%j has nothing but thoughts: %s', (text, hasOnly) => {
	expect(hasOnlyThoughts(text)).toBe(hasOnly);
});

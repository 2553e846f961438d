import { errorSummary } from '../../../nodes/shared/run/errorText';

const record = { message: 'No answer', advice: 'Do this.', code: 'no_answer' };

test('an error says what to do, how often it was tried, what it may cost, and then what the service says', () => {
	const before = { ...record, message: 'Refused', advice: 'Do that.', words: 'No.' };
	const text = errorSummary({
		...record,
		...{ sent: 3, may_have_been_accepted: true, words: 'Busy.', technical: 'ECONNRESET.' },
		earlier: before,
	});
	expect(text).toBe(
		[
			'No answer.',
			'Do this.',
			'It was tried 3 times.',
			'The service may have accepted the request, so it was not retried. Check your account before you run it again: it may be billed twice.',
			'The service says: Busy.',
			'Technical detail: ECONNRESET.',
			'In the try before: Refused. Do that. The service says: No.',
		].join(' '),
	);
});

test('an error says who else than the service says something', () => {
	const text = errorSummary({ ...record, speaker: 'The proxy', words: 'Who are you?' });
	expect(text).toBe('No answer. Do this. The proxy says: Who are you?');
});

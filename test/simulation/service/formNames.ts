// Responses in other forms than the usual one. Most are faults of the simulator's own table, under its names.

/** Good responses, of which nobody notices the form. */
export const GOOD_FORMS = {
	any: ['wrong-type', 'no-type', 'created', 'gzip-in-capitals', 'blank-start', 'nulls'],
	chat: ['no-length', 'stream-unrequested', 'choices-reversed'],
	submit: ['task-bare', 'task-odd-progress'],
	chatStream: [
		'stream-no-done',
		'stream-no-blank',
		'stream-no-space',
		'stream-crlf',
		'stream-comments',
		'stream-bom',
		'stream-split',
		'stream-joined',
		'stream-unended',
		'stream-wrong-shape',
		'in-one-piece',
		'message-in-one-chunk',
		'message-repeated',
		'empty-finish',
		'stream-no-reason',
	],
} as const;

/** Responses that are none of the document's, of the service or of a server in between. */
export const BAD_FORMS = {
	any: [
		...['html-400', 'html-401', 'html-404', 'html-500', 'html-503', 'html-504', 'html-522'],
		...['text-400', 'text-403', 'text-429', 'text-500', 'text-502', 'text-503', 'text-408'],
		...['empty-400', 'empty-401', 'empty-403', 'empty-404', 'empty-500', 'empty-502', 'empty-503'],
		...['status-402', 'status-409', 'status-422', 'status-451', 'status-504', 'status-529'],
		...['invalid-api-key-general', 'invalid-api-key-alternate', 'payload-too-large-alternate'],
		...['internal-error-general', 'internal-error-alternate', 'unavailable-alternate'],
		...['content-filtered-general', 'content-filtered-alternate', 'model-not-found-alternate'],
		...['retry-after-absent', 'retry-after-header', 'retry-after-garbage', 'retry-after-date'],
		...['retry-after-past', 'retry-after-skewed', 'retry-after-reset', 'retry-after-fraction'],
		...['retry-after-zero', 'retry-after-negative', 'retry-after-text', 'page-of-no-type'],
		...['json-null', 'json-array', 'json-object', 'json-other', 'json-error', 'json-invalid'],
		...['redirect-301', 'redirect-307', 'redirect-here', 'error-as-text', 'retry-after-in-body'],
		...['echo-key-text', 'echo-key-html'],
	],
	/** The request is handled. */
	billable: [
		...['handled-html-500', 'handled-html-502', 'handled-empty-500', 'handled-empty-502'],
		...['handled-foreign-500', 'handled-foreign-502', 'late-503'],
	],
	submit: [
		...['task-failed-string', 'task-failed-nested', 'task-failed-array', 'task-failed-number'],
		...['task-failed-null', 'task-failed-empty', 'task-failed-absent', 'task-failed-long'],
	],
	download: ['html-200', 'text-200', 'empty-200', 'wrong-type', 'redirect-302'],
	chatStream: [
		...['stream-cut', 'stream-html', 'stream-garbage', 'stream-empty'],
		...['stream-only-done', 'stream-error-general', 'stream-error-alternate', 'stream-echo-key'],
		...['field-error-as-a-text', 'field-error-inside-an-error', 'field-error-chunk-of-groq'],
		...['field-error-event-with-status-comment', 'field-error-code-without-choices'],
	],
} as const;

const GOOD: ReadonlySet<string> = new Set(Object.values(GOOD_FORMS).flat());

export function isGoodForm(fault = ''): boolean {
	return GOOD.has(fault);
}

/** Every one of them. */
export const FORMS = [...Object.values(GOOD_FORMS), ...Object.values(BAD_FORMS)].flat();

type Form = (typeof FORMS)[number];

/** The endpoints of the simulator that such a response is sent by; default all. */
export function endpointsOf(form: string): Array<'chat' | 'chatStream'> | undefined {
	const isOf = (names: readonly Form[]) => (names as readonly string[]).includes(form);
	if (isOf(GOOD_FORMS.chat)) return ['chat'];
	return isOf(GOOD_FORMS.chatStream) || isOf(BAD_FORMS.chatStream) ? ['chatStream'] : undefined;
}

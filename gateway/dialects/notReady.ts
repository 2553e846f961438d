const NOT_READY =
	/\bnot (?:yet )?(?:complete|completed|done|finished|generated|ready)\b|\bnot yet available\b|\bnot available yet\b|\bstill (?:being )?(?:generat|process|render|runn)\w+\b/i;

/** Whether words in place of a file say that it comes later: new-api says so with 400, LiteLLM with 200. */
export const saysNotReady = (words: string): boolean => NOT_READY.test(words);

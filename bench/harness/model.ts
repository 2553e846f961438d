/** A model of the simulator's catalogue. */
export const MODEL = 'heron-chat';

/** The same for videos. */
export const VIDEO_MODEL = 'kite-motion';

/** Asked where the expression of a question, which n8n evaluates for each item, is not to count. */
export const FIXED_QUESTION = 'What is worth knowing?';

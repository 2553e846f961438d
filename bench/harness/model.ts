/** A model of the simulator's catalogue. */
export const MODEL = 'heron-chat';

/** A video model of the simulator's catalogue. */
export const VIDEO_MODEL = 'kite-motion';

/** Without an expression, which n8n would evaluate for each item. */
export const FIXED_QUESTION = 'What is worth knowing?';

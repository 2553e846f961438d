/** Requests in flight, of our nodes and of their peers. */
export const AT_ONCE = 10;
/** Seconds between two polls of a video. */
export const POLL_SECONDS = 5;
/** A model of the simulator's catalogue. */
export const MODEL = 'heron-chat';
/** A video model of the simulator's catalogue. */
export const VIDEO_MODEL = 'kite-motion';
/** Without an expression, which n8n would evaluate for each item. */
export const FIXED_QUESTION = 'What is worth knowing?';

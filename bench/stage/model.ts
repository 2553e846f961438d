/** A model of the simulator's catalogue. */
export const MODEL = 'heron-chat';

/** The same for videos. */
export const VIDEO_MODEL = 'kite-motion';

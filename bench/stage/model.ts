/** A model of the simulator's catalogue. */
export const MODEL = 'heron-chat';

/** Requests in flight, of our nodes and of their peers. */
export const AT_ONCE = 10;
/** Seconds between two polls of a video. */
export const POLL_SECONDS = 5;

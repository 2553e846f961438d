/** The settings of the nodes in these tests. Times are in seconds. */
export const MAX_RETRIES = 2;
export const TIMEOUT = 12;
export const POLL_INTERVAL = 2;
export const MAX_WAIT = 39;

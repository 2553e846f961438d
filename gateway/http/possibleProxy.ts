/** Advice for failures that may be a proxy's: none here, since this build knows when a proxy failed, and says so. */
export const POSSIBLE_PROXY: string = '';

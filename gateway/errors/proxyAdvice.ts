/** Advice for failures that may be a proxy's. This build knows when a proxy failed, and needs none. */
export const POSSIBLE_PROXY: string = '';

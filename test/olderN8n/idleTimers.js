// n8n 1 starts a timer that it never clears, which would keep Jest's workers alive.
const { setInterval } = globalThis;
globalThis.setInterval = (...args) => setInterval(...args).unref();

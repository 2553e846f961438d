// n8n 1 begins a timer that it never ends, which would keep jest's workers alive.
const begin = globalThis.setInterval;
globalThis.setInterval = (...settings) => begin(...settings).unref();

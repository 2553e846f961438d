const Module = require('node:module');
const { fileOfOlderN8n } = require('./olderN8n');

// Does the same in the processes that tests start, which inherit NODE_OPTIONS.
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, parent, isMain, options) =>
	fileOfOlderN8n(request, (name, folder) => resolve(name, parent, isMain, { paths: [folder] })) ??
	resolve(request, parent, isMain, options);

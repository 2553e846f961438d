const Module = require('node:module');
const { fileOfOldestN8n } = require('./oldestN8n');

// Does the same in the processes that tests start, which inherit NODE_OPTIONS.
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, parent, isMain, options) =>
	fileOfOldestN8n(request, (name, folder) => resolve(name, parent, isMain, { paths: [folder] })) ??
	resolve(request, parent, isMain, options);

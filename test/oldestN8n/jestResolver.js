const { fileOfOldestN8n } = require('./oldestN8n');

/** Resolves n8n's packages to the oldest n8n. */
module.exports = (request, options) =>
	fileOfOldestN8n(request, (name, basedir) =>
		options.defaultResolver(name, { ...options, basedir }),
	) ?? options.defaultResolver(request, options);

const { fileOfOlderN8n } = require('./olderN8n');

/** Resolves n8n's packages to the older n8n. */
module.exports = (request, options) =>
	fileOfOlderN8n(request, (name, basedir) =>
		options.defaultResolver(name, { ...options, basedir }),
	) ?? options.defaultResolver(request, options);

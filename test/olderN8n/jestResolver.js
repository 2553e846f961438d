const { fileOfOlderN8n } = require('./olderN8n');

/** What a test imports of n8n comes from the older one. */
module.exports = (request, options) =>
	fileOfOlderN8n(request, (name, basedir) =>
		options.defaultResolver(name, { ...options, basedir }),
	) ?? options.defaultResolver(request, options);

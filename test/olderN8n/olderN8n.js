const { sep } = require('node:path');

const OF_N8N = /^(n8n-core|n8n-workflow|@n8n\/.*|reflect-metadata)(\/|$)/;

/**
 * Where the older n8n has a package that belongs to n8n.
 * @param find finds a package from a folder on
 * @returns undefined for any other package
 * @throws when the older n8n has no such package, even if the newest, which lies further up, has it
 */
exports.fileOfOlderN8n = (request, find) => {
	if (!OF_N8N.test(request)) return undefined;
	const file = find(request, __dirname);
	if (file.startsWith(__dirname + sep)) return file;
	const message = `Cannot find module '${request}': this n8n does not have it`;
	throw Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' });
};

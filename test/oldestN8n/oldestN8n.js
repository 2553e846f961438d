const { sep } = require('node:path');

const OF_N8N = /^(n8n-core|n8n-workflow|@n8n\/.*|reflect-metadata)(\/|$)/;

/**
 * The file of one of n8n's packages in the oldest n8n.
 * @param find resolves a package from a folder
 * @returns undefined for a package that is not n8n's
 * @throws if the oldest n8n does not have the package, even if the current n8n does
 */
exports.fileOfOldestN8n = (request, find) => {
	if (!OF_N8N.test(request)) return undefined;
	const file = find(request, __dirname);
	if (file.startsWith(__dirname + sep)) return file;
	const message = `Cannot find module '${request}': this n8n does not have it`;
	throw Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' });
};

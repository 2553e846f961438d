const { dirname, join, relative, sep } = require('node:path');

const root = join(__dirname, '../..');
const built = join(root, 'dist-cloud/dist');

/** n8n lends its own zod, which is older than the one that the main build bundles. */
const ZOD_OF_N8N = require.resolve('zod/v4', {
	paths: [dirname(require.resolve('@n8n/config'))],
});

/** Resolves what the tests import of the package to its build for n8n Cloud. */
module.exports = (request, options) => {
	if (request === 'zod/v4' && options.basedir.startsWith(built)) return ZOD_OF_N8N;
	const file = options.defaultResolver(request, options);
	const [folder, ...rest] = relative(root, file).split(sep);
	const isDoor = folder === 'gateway' && rest.join() === 'index.ts';
	const isNode = folder === 'nodes' || folder === 'credentials';
	return isDoor || isNode ? join(built, folder, ...rest).replace(/\.ts$/, '.js') : file;
};

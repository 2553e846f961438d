const { join, relative, sep } = require('node:path');

const root = join(__dirname, '../..');
const built = join(root, 'dist-verified/dist');

/** Resolves imports of the package to its verified build. */
module.exports = (request, options) => {
	const file = options.defaultResolver(request, options);
	const [folder, ...rest] = relative(root, file).split(sep);
	const isGateway = folder === 'gateway' && rest.join() === 'index.ts';
	const isNode = folder === 'nodes' || folder === 'credentials';
	return isGateway || isNode ? join(built, folder, ...rest).replace(/\.ts$/, '.js') : file;
};

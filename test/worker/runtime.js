const { isBuiltin } = require('node:module');
const { sep } = require('node:path');
const { compileFunction, constants } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');

/** Loads packages once in a worker, not in each test file, which takes seconds for n8n-core. What is ours is loaded anew. */
module.exports = class WorkerRuntime extends JestRuntime {
	constructor(...args) {
		super(...args);
		const { executor } = this;
		// Jest needs a context of its own, for which the packages' `Error` would be another one.
		executor.compile = (source, filename) =>
			compileFunction(source, executor.injectedModuleParameters, {
				filename,
				importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
			});
	}

	requireModule(from, name, options, isActual) {
		if (name !== undefined && !options?.isInternalModule && !isBuiltin(name)) {
			const file = this._resolution.resolveCjs(from, name);
			if (file.includes(`${sep}node_modules${sep}`)) return require(file);
		}
		return super.requireModule(from, name, options, isActual);
	}
};

const { writeFileSync } = require('node:fs');
const { join } = require('node:path');

const { MUTANTS, MUTANTS_COVERAGE: folder } = process.env;
/** With these switched on, the process ends with the first failure of a test. */
const active = MUTANTS && new Set(MUTANTS.split(','));

/** A test environment whose sources have mutants in them. Some are switched on, or what is executed is noted. */
module.exports = (Environment) =>
	class extends Environment {
		constructor(config, context) {
			super(config, context);
			this.file = context.testPath;
			this.covered = new Set();
			this.passed = 0;
			this.failed = 0;
			this.startedAt = process.cpuUsage();
			this.global.mutants = {
				isActive: active ? (id) => active.has(id) : () => false,
				covers: active ? () => {} : (...ids) => ids.forEach((id) => this.covered.add(id)),
			};
		}

		async handleTestEvent(event, state) {
			await super.handleTestEvent?.(event, state);
			const { name, test } = event;
			// The verified build leaves all tests of some files out.
			if (name === 'test_fn_success' || name === 'test_skip') this.passed += 1;
			if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
			this.failed += 1;
			if (active)
				process.send({ file: this.file, test: test?.name ?? 'a hook' }, () => process.exit(1));
		}

		async teardown() {
			const { user, system } = process.cpuUsage(this.startedAt);
			const { file, passed, failed } = this;
			const covered = { file, passed, failed, ms: (user + system) / 1000, ids: [...this.covered] };
			if (folder)
				writeFileSync(join(folder, `${file.replace(/\W+/g, '-')}.json`), JSON.stringify(covered));
			await super.teardown();
		}
	};

// Loaded into n8n before all else. At SIGUSR2, n8n collects its garbage and writes down what it holds then.
const { renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { setImmediate: turn } = require('node:timers/promises');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const file = join(process.env.N8N_USER_FOLDER, 'memory.json');

process.on('SIGUSR2', async () => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc');
	// What a finalizer frees goes with the next one.
	for (let pass = 0; pass < 3; pass += 1) {
		collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
		await turn();
	}
	writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
	renameSync(`${file}.new`, file);
});

// Loaded into n8n first. At SIGUSR2, n8n collects its garbage and writes down its memory.
const { renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { setImmediate: turn } = require('node:timers/promises');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const file = join(process.env.N8N_USER_FOLDER, 'memory.json');

process.on('SIGUSR2', async () => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc');
	// Objects that finalizers free are collected the next time.
	for (let pass = 0; pass < 3; pass += 1) {
		collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
		await turn();
	}
	writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
	renameSync(`${file}.new`, file);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A module of its own, to be imported before n8n-core: that reads its settings while it is loaded.
if (process.env.N8N_USER_FOLDER === undefined) {
	// The user's own n8n, if there is one on this machine, must not be touched.
	const folder = mkdtempSync(join(tmpdir(), 'n8n-engine-'));
	process.env.N8N_USER_FOLDER = folder;
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
process.env.N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS ??= 'false';
process.env.N8N_LOG_OUTPUT ??= 'file';
process.env.N8N_LOG_LEVEL ??= 'error';
// As n8n 2 has it. n8n 1 would keep them in the memory.
process.env.N8N_DEFAULT_BINARY_DATA_MODE ??= 'filesystem';

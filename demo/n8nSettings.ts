import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Import this before n8n-core, which reads its settings when it is loaded.
if (process.env.N8N_USER_FOLDER === undefined) {
	// The folder of the user's own n8n must not be used.
	const folder = mkdtempSync(join(tmpdir(), 'n8n-engine-'));
	process.env.N8N_USER_FOLDER = folder;
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
process.env.N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS ??= 'false';
process.env.N8N_LOG_OUTPUT ??= 'file';
process.env.N8N_LOG_LEVEL ??= 'error';
// n8n-core alone would keep files in memory.
process.env.N8N_DEFAULT_BINARY_DATA_MODE ??= 'filesystem';

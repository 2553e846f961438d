import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newPassword } from './n8nApi';

/** The password of the owner of a user folder, kept in it: whatever else runs on this machine can open the editor's URL. */
export async function ownersPassword(userFolder: string): Promise<string> {
	const file = join(userFolder, 'owners-password');
	const kept = await readFile(file, 'utf8').catch(() => undefined);
	if (kept !== undefined) return kept;
	const password = newPassword();
	await writeFile(file, password, { mode: 0o600 });
	return password;
}

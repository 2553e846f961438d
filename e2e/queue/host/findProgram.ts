import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Finds a server's program on PATH, or where its Debian package puts it.
 * @throws Error that says how to install it
 */
export function findProgram(name: string, aptPackage: string, places: string[] = []): string {
	const folders = [
		...(process.env.PATH ?? '').split(delimiter),
		...places.flatMap((pattern) => globSync(pattern)),
	];
	const found = folders.map((folder) => join(folder, name)).find(isProgram);
	if (found !== undefined) return found;
	throw new Error(
		`There is no ${name} on this machine. Install it, on Debian and Ubuntu with: apt-get install ${aptPackage}`,
	);
}

function isProgram(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

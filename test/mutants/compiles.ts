import { join, relative } from 'node:path';
import ts from 'typescript';
import type { Mutant } from './draw';

/** Tells whether the compiler accepts a defect: one that it refuses needs no test. */
export function compiler(root: string): (mutant: Mutant) => boolean {
	const config = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file));
	const parsed = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
	const sources = parsed.fileNames.filter((file) =>
		/^(gateway|nodes)\b/.test(relative(root, file)),
	);
	let mutant: (Mutant & { path: string }) | undefined;
	let version = 0;
	const host: ts.LanguageServiceHost = {
		getCompilationSettings: () => ({
			...parsed.options,
			noUnusedLocals: false,
			noUnusedParameters: false,
		}),
		getScriptFileNames: () => sources,
		getScriptVersion: (file) => (file === mutant?.path ? String(version) : '0'),
		getScriptSnapshot: (file) => {
			const text = file === mutant?.path ? mutant.text : ts.sys.readFile(file);
			return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
		},
		getCurrentDirectory: () => root,
		getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
		fileExists: (file) => ts.sys.fileExists(file),
		readFile: (file) => ts.sys.readFile(file),
	};
	const service = ts.createLanguageService(host);
	return (each) => {
		mutant = { ...each, path: join(root, each.file) };
		version += 1;
		return (
			service.getSyntacticDiagnostics(mutant.path).length === 0 &&
			service.getSemanticDiagnostics(mutant.path).length === 0
		);
	};
}

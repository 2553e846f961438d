import { pathToFileURL } from 'node:url';

// Runs n8n's scanner on local folders, as n8n does with a package submitted for verification.
const [scanner, ...scans] = process.argv.slice(2);
const { analyzePackage, SOURCE_FILE_PATTERNS } = await import(pathToFileURL(scanner).href);
const patterns = { sources: SOURCE_FILE_PATTERNS, package: ['**/*.js', 'package.json'] };
const found = [];
while (scans.length > 0) {
	const [target, folder] = scans.splice(0, 2);
	const { passed, details } = await analyzePackage(folder, patterns[target]);
	found.push(passed ? 'passed' : details);
}
console.log(JSON.stringify(found));

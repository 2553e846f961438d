import { pathToFileURL } from 'node:url';

// Runs n8n's scanner on a local folder, as n8n does with a package submitted for verification.
const [scanner, target, folder] = process.argv.slice(2);
const { analyzePackage, SOURCE_FILE_PATTERNS } = await import(pathToFileURL(scanner).href);
const patterns = { sources: SOURCE_FILE_PATTERNS, package: ['**/*.js', 'package.json'] };
const { passed, details } = await analyzePackage(folder, patterns[target]);
console.log(passed ? 'passed' : details);

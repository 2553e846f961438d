import { pathToFileURL } from 'node:url';

// What n8n's scanner does with a package that is submitted for verification, once it has fetched the package.
const [scanner, leg, folder] = process.argv.slice(2);
const { analyzePackage, SOURCE_FILE_PATTERNS } = await import(pathToFileURL(scanner).href);
const patterns = { sources: SOURCE_FILE_PATTERNS, package: ['**/*.js', 'package.json'] };
const { passed, details } = await analyzePackage(folder, patterns[leg]);
console.log(passed ? 'passed' : details);

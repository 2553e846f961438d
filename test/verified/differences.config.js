const { repeatedFiles } = require('./differences');
const base = require('./jest.config');

process.env.ONLY_DIFFERENCES = 'yes';

/**
 * Of the tests of the verified build, those in which it may differ: what CI repeats.
 * @type {import('jest').Config}
 */
module.exports = { ...base, testRegex: repeatedFiles.map((file) => `${file}.*\\.test\\.ts$`) };

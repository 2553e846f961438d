const { join } = require('node:path');
const base = require('../../jest.config');

/** @type {import('jest').Config} */
module.exports = { ...base, rootDir: join(__dirname, '../..'), roots: [__dirname] };

const { TestEnvironment } = require('jest-environment-node');
const withSwitch = require('./withSwitch');

module.exports = withSwitch(TestEnvironment);

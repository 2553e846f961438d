const withSwitch = require('./withSwitch');

module.exports = withSwitch(require('../../cloud/environment'));

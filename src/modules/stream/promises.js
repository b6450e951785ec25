'use strict';

// node:stream/promises.

const { finished, pipeline } = require('stream').promises;

module.exports = { finished, pipeline };

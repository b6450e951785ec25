'use strict';

const { IncomingMessage, readStart, readStop } = require('#http/incoming');

module.exports = { IncomingMessage, readStart, readStop };

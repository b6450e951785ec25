'use strict';

// The classes around fetch, WebSocket and EventSource: undici's. Loading them takes a while, so nothing does before a
// program uses one.

module.exports = require('~undici');

'use strict';

// node:stream/web.

module.exports = require('#web/streams');

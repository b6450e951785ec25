'use strict';

// The builtin _http_incoming, which libraries reach for: see src/modules/http/incoming.js.

module.exports = require('#http/public_incoming');

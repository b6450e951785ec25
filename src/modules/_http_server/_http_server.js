'use strict';

// The builtin _http_server, which libraries reach for: see src/modules/http/server.js.

module.exports = require('#http/public_server');

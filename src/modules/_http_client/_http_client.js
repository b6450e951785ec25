'use strict';

// The builtin _http_client, which libraries reach for: see src/modules/http/client.js.

module.exports = require('#http/public_client');

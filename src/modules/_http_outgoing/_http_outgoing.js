'use strict';

// The builtin _http_outgoing, which libraries reach for: see src/modules/http/outgoing.js.

module.exports = require('#http/public_outgoing');

'use strict';

// The builtin _http_agent, which libraries reach for: see src/modules/http/agent.js.

module.exports = require('#http/public_agent');

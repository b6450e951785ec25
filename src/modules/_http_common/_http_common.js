'use strict';

// The builtin _http_common, which libraries reach for: see src/modules/http/common.js.

module.exports = require('#http/public_common');

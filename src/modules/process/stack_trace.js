'use strict';

// Hook::kPrepareStackTrace: who turns call sites into the text of `error.stack`.

const { defaultPrepareStackTrace, prepareStackTraceCallback } = require('#internal/errors');

module.exports = { prepare: prepareStackTraceCallback, defaultPrepareStackTrace };

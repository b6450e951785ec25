'use strict';

// Checks of our own invariants; what users hand over is checked by #internal/validators.

const { codes: { ERR_INTERNAL_ASSERTION } } = require('#internal/errors');

function assert(value, message) {
  if (!value) throw new ERR_INTERNAL_ASSERTION(message);
}

function fail(message) {
  throw new ERR_INTERNAL_ASSERTION(message);
}

assert.fail = fail;
module.exports = assert;

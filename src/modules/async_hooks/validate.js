'use strict';

const { validateFunction } = require('#internal/validators');
const {
  codes: { ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');

/** A function that does not return a promise of its own: an async promise hook would hook itself for ever. */
function validatePlainFunction(value, name) {
  validateFunction(value, name);
  const { isAsyncFunction } = require('util').types;
  if (isAsyncFunction(value)) throw new ERR_INVALID_ARG_TYPE(name, 'Function', value);
}

module.exports = { validatePlainFunction };

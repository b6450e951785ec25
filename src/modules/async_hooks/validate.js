'use strict';

const { validateFunction } = require('#internal/validators');
const {
  codes: { ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');

const AsyncFunction = async function() {}.constructor;

/** A function that does not return a promise of its own: an async promise hook would hook itself for ever. */
function validatePlainFunction(value, name) {
  validateFunction(value, name);
  if (value instanceof AsyncFunction) throw new ERR_INVALID_ARG_TYPE(name, 'Function', value);
}

module.exports = { validatePlainFunction };

'use strict';

// How web objects show their attributes in util.inspect.

/** The option `customInspect` of util.inspect finds methods of this name. */
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

/**
 * @param {string} name the class's name
 * @param {object} fields what to show
 * @param {number} depth levels left; below zero only the name is shown
 * @param {object} options of util.inspect
 */
function inspectFields(name, fields, depth, options) {
  if (depth < 0) return `[${name}]`;
  const { inspect } = require('util');
  const inner = { ...options, depth: Number.isInteger(options.depth) ? options.depth - 1 : options.depth };
  return `${name} ${inspect(fields, inner)}`;
}

module.exports = { inspectFields, inspectSymbol };

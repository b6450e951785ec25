'use strict';

// How connect() and listen() read their arguments: (options), (port, host), (path), each with a callback at the end.

const kNormalized = Symbol('normalizedArgs');

/** A number or a string of digits that can only be meant as a port, not as a path. */
function toNumber(x) {
  return (x = Number(x)) >= 0 ? x : false;
}

function isPipeName(s) {
  return typeof s === 'string' && toNumber(s) === false;
}

/**
 * @param {unknown[]} args
 * @returns {[object, Function | null]}
 */
function normalizeArgs(args) {
  let result;
  if (args.length === 0) {
    result = [{}, null];
    result[kNormalized] = true;
    return result;
  }
  const first = args[0];
  let options = {};
  if (typeof first === 'object' && first !== null) {
    options = first;
  } else if (isPipeName(first)) {
    options.path = first;
  } else {
    options.port = first;
    if (args.length > 1 && typeof args[1] === 'string') options.host = args[1];
  }
  const last = args[args.length - 1];
  result = [options, typeof last === 'function' ? last : null];
  result[kNormalized] = true;
  return result;
}

/** connect() and listen() accept what normalizeArgs() returned, so that callers need not do it twice. */
function takeArgs(args) {
  return Array.isArray(args[0]) && args[0][kNormalized] ? args[0] : normalizeArgs(args);
}

module.exports = { normalizeArgs, takeArgs, toNumber, isPipeName };

'use strict';

// How an error that ends the process is printed:
//
//   /app/server.js:3
//   throw new Error('no');
//   ^
//
//   Error: no
//       at ...stack, causes and further properties as util.inspect() shows them
//
//   Node.js v24.12.0
//
// The native side gives `arrow`: file and line, the source line and the caret's line, each ended by a line
// break (bridge/js_scope.h, SourceArrow), or ''. Nothing here may throw or start asynchronous work.

const types = binding('types');

const isError = (value) => types.isNativeError(value) || value instanceof Error;
const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

function useColors() {
  try {
    return require('#internal/colors').shouldColorize(process.stderr);
  } catch {
    return false;
  }
}

function inspectFatal(value) {
  const { inspect, defaultOptions } = require('#util/inspect');
  try {
    return inspect(value, {
      customInspect: false, depth: Math.max(defaultOptions.depth ?? Infinity, 5), colors: useColors(),
    });
  } catch {
    return undefined;
  }
}

/** The stack alone, for errors that inspect() cannot show (a getter throws, say). */
function plainText(value) {
  try {
    if (isError(value) && typeof value.stack === 'string') return value.stack;
    return String(value);
  } catch {
    return '<toString() threw exception>';
  }
}

function executableName() {
  const path = process.execPath || 'node';
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether the object lets itself be looked at. */
function canBeRead(value) {
  try {
    void value.stack;
    return true;
  } catch {
    return false;
  }
}

function versionLine() {
  if (require('#runtime/options').getOptionValue('--no-extra-info-on-fatal-exception')) return '';
  return `\nNode.js ${process.version}\n`;
}

/**
 * An error as inspect() shows it, its stack's first line as it stands: with the arrow before it, inspect() finds no name
 * to correct. So Node.js prints what is thrown, though not what a promise was rejected with.
 */
function inspectThrown(error, arrow) {
  let stack;
  try {
    ({ stack } = error);
    if (typeof stack !== 'string' || !stack.includes('\n    at ') || stack.startsWith(arrow)) return inspectFatal(error);
    error.stack = `${arrow}\n${stack}`;
  } catch {
    return inspectFatal(error);
  }
  const text = inspectFatal(error);
  try {
    error.stack = stack;
  } catch {
    // Its setter has changed its mind.
  }
  return text?.startsWith(arrow) ? text : inspectFatal(error);
}

/**
 * @param {unknown} error what was thrown
 * @param {{ arrow?: string, fromPromise?: boolean }} [options]
 * @returns {string} the whole report, ended by a line break
 */
function formatUncaught(error, { arrow = '', fromPromise = false } = {}) {
  if (isError(error)) {
    const shown = fromPromise || arrow === '' ? inspectFatal(error) : inspectThrown(error, arrow);
    const text = shown ?? plainText(error);
    // A stack may begin with the arrow already, as vm makes them.
    const start = arrow === '' || text.startsWith(arrow) ? '' : `${arrow}\n`;
    return `${start}${text}\n${versionLine()}`;
  }
  if (isObject(error) && canBeRead(error)) {
    return `\n${arrow}${inspectFatal(error) ?? plainText(error)}\n${versionLine()}`;
  }
  const text = typeof error === 'symbol' ? '' : plainText(error);
  const hint = `(Use \`${executableName()} --trace-uncaught ...\` to show where the exception was thrown)`;
  return `\n${arrow}${text}\n${hint}\n${versionLine()}`;
}

/** @returns {string} how an unhandled rejection's reason is quoted when it is no error */
function describeReason(reason) {
  if (isError(reason)) return plainText(reason);
  if (isObject(reason)) {
    if (typeof reason === 'function') return plainText(reason);
    let name;
    try {
      name = reason.constructor?.name;
    } catch {
      name = undefined;
    }
    return `#<${typeof name === 'string' && name !== '' ? name : 'Object'}>`;
  }
  return plainText(reason);
}

module.exports = { describeReason, formatUncaught };

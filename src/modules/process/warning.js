'use strict';

// process.emitWarning and what prints the warnings.

const { codes: { ERR_INVALID_ARG_TYPE } } = require('#internal/errors');
const { validateString } = require('#internal/validators');
const { getOptionValue } = require('#runtime/options');

let printedHint = false;

function isDisabled(warning) {
  const disabled = getOptionValue('--disable-warning') ?? [];
  return disabled.length > 0 && (disabled.includes(warning.code) || disabled.includes(warning.name));
}

function writeOut(text) {
  const file = getOptionValue('--redirect-warnings') ?? process.env.NODE_REDIRECT_WARNINGS;
  if (file) {
    try {
      require('fs').appendFileSync(file, `${text}\n`);
      return;
    } catch {
      // The terminal is better than nothing.
    }
  }
  // As a program that replaced process.stderr.write() expects to see it; a worker's stderr is its parent's.
  const { stderr } = process;
  if (stderr?.destroyed === false || stderr?.writable) stderr.write(`${text}\n`);
  else process._rawDebug(text);
}

/** The default listener of 'warning'. */
function onWarning(warning) {
  if (!(warning instanceof Error)) return;
  const deprecation = warning.name === 'DeprecationWarning';
  if (deprecation && process.noDeprecation) return;
  if (isDisabled(warning)) return;
  const trace = process.traceProcessWarnings || (deprecation && process.traceDeprecation);
  let text = `(${process.release.name}:${process.pid}) `;
  if (warning.code) text += `[${warning.code}] `;
  if (trace && warning.stack) {
    text += `${warning.stack}`;
  } else {
    text += typeof warning.toString === 'function' ? `${warning.toString()}` : Error.prototype.toString.call(warning);
  }
  if (typeof warning.detail === 'string') text += `\n${warning.detail}`;
  if (!trace && !printedHint) {
    const flag = deprecation ? '--trace-deprecation' : '--trace-warnings';
    const program = require('path').basename(process.argv0 || 'node', '.exe');
    text += `\n(Use \`${program} ${flag} ...\` to show where the warning was created)`;
    printedHint = true;
  }
  writeOut(text);
}

function createWarning(warning, type, code, ctor, detail) {
  const previous = Error.stackTraceLimit;
  const writable = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')?.writable;
  const quiet = type === 'DeprecationWarning' && process.noDeprecation;
  if (quiet && writable) Error.stackTraceLimit = 0;
   
  const error = new Error(warning);
  if (quiet && writable) Error.stackTraceLimit = previous;
  error.name = String(type || 'Warning');
  if (code !== undefined) error.code = code;
  if (detail !== undefined) error.detail = detail;
  Error.captureStackTrace(error, ctor ?? emitWarning);
  return error;
}

function emitWarning(warning, type, code, ctor) {
  // A fast way out for deprecations that nobody wants to see.
  if (type === 'DeprecationWarning' && process.noDeprecation) return;
  let detail;
  if (type !== null && typeof type === 'object' && !Array.isArray(type)) {
    ctor = type.ctor;
    code = type.code;
    if (typeof type.detail === 'string') detail = type.detail;
    type = type.type || 'Warning';
  } else if (typeof type === 'function') {
    ctor = type;
    code = '';
    type = 'Warning';
  }
  if (type !== undefined) validateString(type, 'type');
  if (typeof code === 'function') {
    ctor = code;
    code = undefined;
  } else if (code !== undefined) {
    validateString(code, 'code');
  }
  if (typeof warning === 'string') {
    warning = createWarning(warning, type, code, ctor, detail);
  } else if (!(warning instanceof Error)) {
    throw new ERR_INVALID_ARG_TYPE('warning', ['Error', 'string'], warning);
  }
  if (warning.name === 'DeprecationWarning') {
    if (process.noDeprecation) return;
    if (process.throwDeprecation) {
      process.nextTick(() => { throw warning; });
      return;
    }
  }
  process.nextTick(() => process.emit('warning', warning));
}

module.exports = { emitWarning, onWarning };

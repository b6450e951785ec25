'use strict';

// The check behind assert(), assert.ok() and t.assert.ok().

const { isErrorStackTraceLimitWritable } = require('#internal/errors');
const { AssertionError } = require('#assert/assertion_error');
const { isError } = require('#assert/throws');

/** An error whose stack begins where `fn` was called, whatever the program did to Error.stackTraceLimit. */
function locationOf(fn) {
  const limit = Error.stackTraceLimit;
  const isWritable = isErrorStackTraceLimitWritable();
  if (isWritable) Error.stackTraceLimit = 1;
  const error = new Error();
  Error.captureStackTrace(error, fn);
  if (isWritable) Error.stackTraceLimit = limit;
  return error;
}

/** @param {Function} fn the public function @param {unknown[]} args what it was called with */
function innerOk(fn, args) {
  const value = args[0];
  if (value) return;
  let message = args[1];
  let generatedMessage = false;
  if (args.length === 0) {
    generatedMessage = true;
    message = 'No value argument passed to `assert.ok()`';
  } else if (message == null) {
    generatedMessage = true;
    message = require('#assert/ok_message').okMessage(locationOf(fn));
  } else if (isError(message)) {
    throw message;
  }
  const error = new AssertionError({ actual: value, expected: true, message, operator: '==', stackStartFn: fn });
  error.generatedMessage = generatedMessage;
  throw error;
}

module.exports = { innerOk };

'use strict';

// process.exit, process.exitCode and the 'exit' event.

const { exit: nativeExit } = binding('realm');
const { codes: { ERR_INVALID_ARG_TYPE } } = require('#internal/errors');
const { validateInteger } = require('#internal/validators');

let exitCode;

/** Node's rule: an integer, or a string of one, or nothing. */
function validateExitCode(value, name) {
  if (value === null || value === undefined) return;
  let number = value;
  if (typeof value === 'string' && value !== '') {
    number = Number(value);
    if (!Number.isInteger(number)) throw new ERR_INVALID_ARG_TYPE(name, ['integer'], value);
  }
  validateInteger(number, name);
}

function getExitCode() {
  return exitCode;
}

function setExitCode(value) {
  validateExitCode(value, 'code');
  exitCode = value ?? undefined;
}

function status() {
  return (Number(exitCode ?? 0) | 0);
}

/** Status of a program whose top-level await nobody will ever settle. */
const kUnsettledTopLevelAwait = 13;

function noteUnsettledAwait() {
  if (exitCode !== undefined) return;
  const arrow = require('#module/esm').stalledAwait();
  if (arrow === undefined) return;
  exitCode = kUnsettledTopLevelAwait;
  if (arrow !== '' && require('#runtime/options').getOptionValue('--warnings')) process._rawDebug(`Warning: Detected unsettled top-level await at ${arrow}\n\n`);
}

/** Tools that debug the program may look at what is left of it. */
function endInspection() {
  const { isLoaded } = require('#runtime/loader');
  if (isLoaded('#module/compile_cache')) require('#module/compile_cache').persist();
  if (isLoaded('#inspector/tools')) require('#inspector/tools').finish();
  if (isLoaded('#inspector/remote')) require('#inspector/remote').atExit();
}

/** Emits 'exit' once and says with what status to end. */
function finish() {
  noteUnsettledAwait();
  if (!process._exiting) {
    process._exiting = true;
    process.emit('exit', exitCode ?? 0);
    endInspection();
  }
  return status();
}

/** @this {NodeJS.Process} */
function exit(code) {
  if (arguments.length !== 0) {
    validateExitCode(code, 'code');
    process.exitCode = code;
  }
  if (!process._exiting) {
    process._exiting = true;
    process.emit('exit', process.exitCode ?? 0);
  }
  // 'exit' listeners may have changed it
  if (require('#runtime/options').getOptionValue('--trace-exit')) traceExit(process.exitCode ?? 0);
  process.reallyExit(process.exitCode ?? 0);
}

/** --trace-exit: who ends the program. */
function traceExit(code) {
  const { isMainThread, threadId } = require('worker_threads');
  const holder = {};
  Error.captureStackTrace(holder, traceExit);
  const thread = isMainThread ? '' : `, thread:${threadId}`;
  const frames = holder.stack.split('\n').slice(1).join('\n');
  process._rawDebug(`(node:${process.pid}${thread}) WARNING: Exited the environment with code ${code}\n${frames}`);
}

function reallyExit(code) {
  endInspection();
  require('#worker_threads/state').onExit?.(code);
  nativeExit(Number(code ?? 0) | 0);
  // In a worker the call returns, and V8 stops this thread at the next turn of a loop.
  for (;;);
}

module.exports = { exit, reallyExit, finish, getExitCode, setExitCode, status, validateExitCode };

'use strict';

// The warning that the constructor `Buffer()` gives once to code outside node_modules (DEP0005).

const message = 'Buffer() is deprecated due to security and usability issues. Please use the Buffer.alloc(), ' +
  'Buffer.allocUnsafe(), or Buffer.from() methods instead.';

const kInNodeModules = /[/\\]node_modules[/\\]/;
const maxCalls = 10000;

let warned = false;
let calls = 0;

/** Whether the first frame of the user's code lies in node_modules. */
function calledFromNodeModules() {
  const { overrideStackTrace, isErrorStackTraceLimitWritable } = require('#internal/errors');
  let files = [];
  const limit = Error.stackTraceLimit;
  if (isErrorStackTraceLimitWritable()) Error.stackTraceLimit = Infinity;
  const target = new Error();
  overrideStackTrace.set(target, (_, frames) => {
    files = frames.map((frame) => frame.getFileName());
    return '';
  });
  void target.stack;
  if (isErrorStackTraceLimitWritable()) Error.stackTraceLimit = limit;
  const user = files.find((file) => typeof file === 'string' && (file[0] === '/' || file.startsWith('file:')));
  return user !== undefined && kInNodeModules.test(user);
}

function warnOfConstructor() {
  if (warned || ++calls > maxCalls) return;
  const { getOptionValue } = require('#internal/options');
  const pending = getOptionValue('--pending-deprecation');
  if (process.noDeprecation === true || (!pending && calledFromNodeModules())) return;
  warned = true;
  process.emitWarning(message, 'DeprecationWarning', 'DEP0005');
}

module.exports = { warnOfConstructor };

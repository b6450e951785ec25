'use strict';

// Error.prepareStackTrace: the user's if there is one, else V8's own form.

/** Hook::kPrepareStackTrace. @param {object} global @param {Error} error @param {NodeJS.CallSite[]} trace */
function prepare(global, error, trace) {
  const custom = global.Error.prepareStackTrace;
  if (typeof custom === 'function' && custom !== defaultPrepareStackTrace) return custom(error, trace);
  return defaultPrepareStackTrace(error, trace);
}

function errorText(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<error>';
  }
}

function defaultPrepareStackTrace(error, trace) {
  const head = errorText(error);
  if (trace.length === 0) return head;
  return `${head}\n    at ${trace.join('\n    at ')}`;
}

module.exports = { prepare, defaultPrepareStackTrace };

'use strict';

// process.execve: another program in place of this one.

const native = binding('process');
const { codes: { ERR_INVALID_ARG_VALUE } } = require('#internal/errors');
const { validateArray, validateObject, validateString } = require('#internal/validators');

function execve(execPath, args = [], env = process.env) {
  validateString(execPath, 'execPath');
  validateArray(args, 'args');
  for (let i = 0; i < args.length; i++) {
    if (typeof args[i] !== 'string' || args[i].includes('\u0000')) {
      throw new ERR_INVALID_ARG_VALUE(`args[${i}]`, args[i], 'must be a string without null bytes');
    }
  }
  validateObject(env, 'env');
  const entries = Object.entries(env).map(([name, value]) => {
    if (typeof value !== 'string' || value.includes('\u0000') || name.includes('\u0000')) {
      throw new ERR_INVALID_ARG_VALUE('env', env, 'must be an object with string keys and values without null bytes');
    }
    return `${name}=${value}`;
  });
  require('#internal/util').emitExperimentalWarning('process.execve');
  try {
    native.execve(execPath, args, entries);
  } catch (error) {
    // What was closed or changed for the new program cannot be had back.
    const holder = {};
    Error.captureStackTrace(holder);
    process._rawDebug(`process.execve failed with error code ${error.code}\n${holder.stack}`);
    native.abort();
  }
}

module.exports = { execve };

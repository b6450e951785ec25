'use strict';

// process.debugPort: where a debugger is, or would be, listened for.

const kMinPort = 1024;
const kMaxPort = 65535;

let port;

function getDebugPort() {
  return (port ??= require('#inspector/remote').readFlags().port);
}

function setDebugPort(value) {
  // As V8 converts to int32: what is no finite number is 0.
  const number = Number(value) | 0;
  if (number !== 0 && (number < kMinPort || number > kMaxPort)) {
    const error = new RangeError(`process.debugPort must be 0 or in range ${kMinPort} to ${kMaxPort}`);
    error.code = 'ERR_OUT_OF_RANGE';
    throw error;
  }
  port = number;
}

function install(target) {
  Object.defineProperty(target, 'debugPort', {
    __proto__: null, get: getDebugPort, set: setDebugPort, enumerable: true, configurable: true,
  });
}

module.exports = { install };

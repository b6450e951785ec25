'use strict';

// hrtime, memory and CPU use.

const native = binding('process');
const { codes: { ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE } } = require('#internal/errors');
const { validateArray, validateNumber, validateObject } = require('#internal/validators');

const time = new Uint32Array(3);
const memory = new Float64Array(5);

function hrtime(previous) {
  native.hrtime(time);
  const seconds = time[0] * 0x100000000 + time[1];
  if (previous === undefined) return [seconds, time[2]];
  validateArray(previous, 'time');
  if (previous.length !== 2) throw new ERR_OUT_OF_RANGE('time', 2, previous.length);
  const difference = seconds - previous[0];
  const nanoseconds = time[2] - previous[1];
  return nanoseconds < 0 ? [difference - 1, nanoseconds + 1e9] : [difference, nanoseconds];
}
hrtime.bigint = function bigint() {
  return native.hrtimeBigInt();
};

function memoryUsage() {
  native.memoryUsage(memory);
  return { rss: memory[0], heapTotal: memory[1], heapUsed: memory[2], external: memory[3], arrayBuffers: memory[4] };
}
memoryUsage.rss = function rss() {
  return native.rss();
};

function validatePrevious(value, name) {
  validateNumber(value, name);
  if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) {
    throw new ERR_INVALID_ARG_VALUE.RangeError(name, value);
  }
}

function usageSince(read) {
  return function(previous) {
    if (previous) {
      validateObject(previous, 'prevValue');
      validatePrevious(previous.user, 'prevValue.user');
      validatePrevious(previous.system, 'prevValue.system');
    }
    const usage = read();
    const user = usage[0];
    const system = usage[1];
    return previous ? { user: user - previous.user, system: system - previous.system } : { user, system };
  };
}

const usageNames = ['userCPUTime', 'systemCPUTime', 'maxRSS', 'sharedMemorySize', 'unsharedDataSize', 'unsharedStackSize',
  'minorPageFault', 'majorPageFault', 'swappedOut', 'fsRead', 'fsWrite', 'ipcSent', 'ipcReceived', 'signalsCount',
  'voluntaryContextSwitches', 'involuntaryContextSwitches'];

function resourceUsage() {
  const usage = native.resourceUsage();
  return Object.fromEntries(usageNames.map((name, index) => [name, usage[index]]));
}

function named(name, fn) {
  return Object.defineProperty(fn, 'name', { __proto__: null, value: name });
}

function install(target, define) {
  define(target, 'cpuUsage', named('cpuUsage', usageSince(native.resourceUsage)));
  define(target, 'threadCpuUsage', named('threadCpuUsage', usageSince(native.threadUsage)));
  define(target, 'resourceUsage', resourceUsage);
  define(target, 'memoryUsage', memoryUsage);
  define(target, 'constrainedMemory', native.constrainedMemory);
  define(target, 'availableMemory', native.availableMemory);
  define(target, 'hrtime', hrtime);
}

module.exports = { install, hrtime };

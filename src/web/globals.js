'use strict';

// The global object: which names it has, and whether they are enumerable, as in Node.js 24. Most values are loaded when
// first read.

const { defineLazy } = binding('web_globals');

/**
 * The names in Node's order, each group with where it comes from and whether it is enumerable. `lazy` values are what
 * the module exports, loaded when first read; `now` values are there at once; an `accessor` can be read and written.
 */
const groups = [
  { now: 'timers', names: ['clearImmediate', 'setImmediate'], enumerable: true },
  { now: '#web/url', names: ['URL', 'URLSearchParams'] },
  { now: '#web/dom_exception', names: ['DOMException'] },
  { now: '#web/abort', names: ['AbortController', 'AbortSignal'] },
  { now: '#web/event_target', names: ['Event', 'EventTarget', 'CustomEvent'] },
  { now: '#web/encoding', names: ['TextEncoder', 'TextDecoder'] },
  {
    lazy: '#web/streams',
    names: [
      'TransformStream', 'TransformStreamDefaultController', 'WritableStream', 'WritableStreamDefaultController',
      'WritableStreamDefaultWriter', 'ReadableStream', 'ReadableStreamDefaultReader', 'ReadableStreamBYOBReader',
      'ReadableStreamBYOBRequest', 'ReadableByteStreamController', 'ReadableStreamDefaultController',
      'ByteLengthQueuingStrategy', 'CountQueuingStrategy', 'TextEncoderStream', 'TextDecoderStream',
      'CompressionStream', 'DecompressionStream',
    ],
  },
  { now: 'timers', names: ['clearInterval', 'clearTimeout', 'setInterval', 'setTimeout'], enumerable: true },
  { now: '#process/task_queues', names: ['queueMicrotask'], enumerable: true },
  { lazy: '#web/messaging', names: ['structuredClone'], enumerable: true },
  { now: 'buffer', names: ['atob', 'btoa'], enumerable: true },
  { lazy: '#web/messaging', names: ['BroadcastChannel', 'MessageChannel', 'MessagePort'] },
  { lazy: '#web/blob', names: ['Blob', 'File'] },
  {
    lazy: 'perf_hooks',
    names: [
      'Performance', 'PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure', 'PerformanceObserver',
      'PerformanceObserverEntryList', 'PerformanceResourceTiming',
    ],
  },
  { accessor: 'performance', load: () => require('perf_hooks').performance },
  { lazy: '#web/url_pattern', names: ['URLPattern'] },
  { lazy: '#web/fetch', names: ['fetch'], enumerable: true },
  { lazy: '#web/undici', names: ['FormData', 'Headers', 'Request', 'Response'] },
  { lazy: '#web/message_event', names: ['MessageEvent', 'CloseEvent'] },
  { lazy: '#web/undici', names: ['WebSocket'] },
  { accessor: 'crypto', load: () => require('#crypto/webcrypto').crypto, readOnly: true },
  { lazy: '#crypto/webcrypto', names: ['Crypto', 'CryptoKey', 'SubtleCrypto'] },
  { lazy: '#web/navigator', names: ['Navigator'] },
  { accessor: 'navigator', load: () => require('#web/navigator').navigator, readOnly: true },
];

function define(target, name, value, enumerable) {
  Object.defineProperty(target, name, { __proto__: null, value, enumerable, configurable: true, writable: true });
}

/**
 * Defines an accessor whose value is loaded when first read and can be written unless `readOnly`.
 * @param {object} target
 * @param {string} name
 * @param {() => unknown} load
 * @param {{enumerable: boolean, suffix: string, readOnly?: boolean}} options `suffix` ends the names of the functions
 */
function defineAccessor(target, name, load, { enumerable, suffix, readOnly = false }) {
  let loaded = false;
  let value;
  const get = () => {
    if (!loaded) {
      value = load();
      loaded = true;
    }
    return value;
  };
  const set = (replacement) => {
    value = replacement;
    loaded = true;
  };
  const functions = {
    get() { return get(); },
    set(replacement) { set(replacement); },
  };
  for (const kind of ['get', 'set']) {
    Object.defineProperty(functions[kind], 'name', { __proto__: null, value: kind + suffix, configurable: true });
  }
  Object.defineProperty(target, name, {
    __proto__: null,
    enumerable,
    configurable: true,
    get: functions.get,
    set: readOnly ? undefined : functions.set,
  });
}

function defineGroup(global, { now, lazy, accessor, load, readOnly, names, enumerable = false }) {
  if (accessor !== undefined) {
    defineAccessor(global, accessor, load, { enumerable: true, suffix: ` ${accessor}`, readOnly });
    return;
  }
  const exports = now !== undefined ? require(now) : undefined;
  for (const name of names) {
    if (exports !== undefined) define(global, name, exports[name], enumerable);
    else defineLazy(global, name, lazy, enumerable);
  }
}

function install(global, process) {
  Object.defineProperty(global, Symbol.toStringTag, {
    __proto__: null, value: 'global', configurable: true, writable: false, enumerable: false,
  });
  defineAccessor(global, 'process', () => process, { enumerable: false, suffix: '' });
  define(global, 'global', global, true);
  defineAccessor(global, 'Buffer', () => require('buffer').Buffer, { enumerable: false, suffix: '' });
  for (const group of groups) defineGroup(global, group);
}

/** Flags that add globals or take them away: [flag, names]. */
const removedBy = [
  ['--experimental-websocket', ['WebSocket', 'CloseEvent']],
  ['--experimental-global-navigator', ['Navigator', 'navigator']],
];

/** What the command line says about globals; called when the program starts. */
function applyOptions(global) {
  const { getOptionValue } = require('#runtime/options');
  for (const [flag, names] of removedBy) {
    if (getOptionValue(flag) !== false) continue;
    for (const name of names) delete global[name];
  }
  if (getOptionValue('--experimental-eventsource')) defineLazy(global, 'EventSource', '#web/undici', false);
  if (getOptionValue('--experimental-webstorage')) {
    defineLazy(global, 'Storage', '#web/storage', false);
    for (const name of ['localStorage', 'sessionStorage']) {
      defineAccessor(global, name, () => require('#web/storage')[name], { enumerable: true, suffix: ` ${name}` });
    }
  }
}

module.exports = { applyOptions, install };

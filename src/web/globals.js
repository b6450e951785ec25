'use strict';

// The global object: which names it has, and whether they are enumerable, as in Node.js 24. Most values are loaded when
// first read.

const { defineLazy } = binding('web_globals');

/** Where each lazily loaded global comes from: [module, names, enumerable]. */
const lazyGlobals = [
  ['#web/streams', [
    'TransformStream', 'TransformStreamDefaultController', 'WritableStream', 'WritableStreamDefaultController',
    'WritableStreamDefaultWriter', 'ReadableStream', 'ReadableStreamDefaultReader', 'ReadableStreamBYOBReader',
    'ReadableStreamBYOBRequest', 'ReadableByteStreamController', 'ReadableStreamDefaultController',
    'ByteLengthQueuingStrategy', 'CountQueuingStrategy', 'TextEncoderStream', 'TextDecoderStream',
    'CompressionStream', 'DecompressionStream',
  ], false],
  ['#web/messaging', ['structuredClone'], true],
  ['#web/messaging', ['BroadcastChannel', 'MessageChannel', 'MessagePort'], false],
  ['#web/blob', ['Blob', 'File'], false],
  ['perf_hooks', [
    'Performance', 'PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure', 'PerformanceObserver',
    'PerformanceObserverEntryList', 'PerformanceResourceTiming',
  ], false],
  ['#web/url_pattern', ['URLPattern'], false],
  ['#web/fetch', ['fetch'], true],
  ['#web/undici', ['FormData', 'Headers', 'Request', 'Response'], false],
  ['#web/message_event', ['MessageEvent', 'CloseEvent'], false],
  ['#web/undici', ['WebSocket'], false],
  ['#crypto/webcrypto', ['Crypto', 'CryptoKey', 'SubtleCrypto'], false],
  ['#web/navigator', ['Navigator'], false],
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

function defineTimers(global) {
  const timers = require('timers');
  for (const name of ['clearImmediate', 'setImmediate', 'clearInterval', 'clearTimeout', 'setInterval', 'setTimeout']) {
    define(global, name, timers[name], true);
  }
  const { queueMicrotask } = require('#process/task_queues');
  define(global, 'queueMicrotask', queueMicrotask, true);
}

function install(global, process) {
  Object.defineProperty(global, Symbol.toStringTag, {
    __proto__: null, value: 'global', configurable: true, writable: false, enumerable: false,
  });
  defineAccessor(global, 'process', () => process, { enumerable: false, suffix: '' });
  defineAccessor(global, 'Buffer', () => require('buffer').Buffer, { enumerable: false, suffix: '' });
  define(global, 'global', global, true);
  defineTimers(global);
  const { URL, URLSearchParams } = require('#web/url');
  const { DOMException } = require('#web/dom_exception');
  const { AbortController, AbortSignal } = require('#web/abort');
  const { Event, EventTarget, CustomEvent } = require('#web/event_target');
  const { TextEncoder, TextDecoder } = require('#web/encoding');
  const eager = {
    URL, URLSearchParams, DOMException, AbortController, AbortSignal, Event, EventTarget, CustomEvent, TextEncoder,
    TextDecoder,
  };
  for (const [name, value] of Object.entries(eager)) define(global, name, value, false);
  const { atob, btoa } = require('buffer');
  define(global, 'atob', atob, true);
  define(global, 'btoa', btoa, true);
  for (const [id, names, enumerable] of lazyGlobals) {
    for (const name of names) defineLazy(global, name, id, enumerable);
  }
  const accessors = [
    ['performance', () => require('perf_hooks').performance, false],
    ['crypto', () => require('#crypto/webcrypto').crypto, true],
    ['navigator', () => require('#web/navigator').navigator, true],
  ];
  for (const [name, load, readOnly] of accessors) {
    defineAccessor(global, name, load, { enumerable: true, suffix: ` ${name}`, readOnly });
  }
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
}

module.exports = { applyOptions, install };

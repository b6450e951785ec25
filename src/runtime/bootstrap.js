'use strict';

// Builds a realm's JavaScript: the loader of builtins, the process object, the globals. Called once in a new context, as
// a function of (native, globalThis), mostly while the start-up snapshot is made: nothing here may touch the environment,
// the clock or a handle. `prepare` (runtime/prepare.js) does that when the program starts.

const { setHook } = native;

/** @type {Map<string, { exports: any, id: string, loaded: boolean }>} */
const builtins = new Map();
const bindings = new Map([['realm', native]]);
const publicIds = new Set([...native.publicModules, ...native.schemeOnlyModules]);

function binding(name) {
  let target = bindings.get(name);
  if (target === undefined) {
    target = native.binding(name);
    bindings.set(name, target);
  }
  return target;
}

// `process` exists before anything is loaded; its methods come from the process room. Its prototype chain is
// process -> process.prototype -> EventEmitter.prototype.
function createProcess() {
  const { process: constructor } = { process: function() {
    // Like the functions of a template: it may be called, for nothing. Jest does, to make a copy of process.
  } };
  Object.defineProperty(constructor.prototype, 'constructor', { __proto__: null, enumerable: false });
  const object = Object.create(constructor.prototype);
  Object.defineProperty(object, Symbol.toStringTag, {
    __proto__: null, value: 'process', writable: false, enumerable: false, configurable: true,
  });
  return object;
}
const process = createProcess();

function requireBuiltin(id) {
  if (id.startsWith('node:')) id = id.slice(5);
  // `#fs/promises` and `fs/promises` are one module.
  if (id[0] === '#' && publicIds.has(id.slice(1))) id = id.slice(1);
  let module = builtins.get(id);
  if (module !== undefined) return module.exports;
  const compiled = native.compileBuiltin(id);
  module = { exports: {}, id, loaded: false };
  builtins.set(id, module);
  try {
    compiled.call(module.exports, module.exports, requireBuiltin, module, process, binding);
  } catch (error) {
    builtins.delete(id);
    throw error;
  }
  module.loaded = true;
  return module.exports;
}

builtins.set('#runtime/loader', {
  exports: {
    requireBuiltin,
    binding,
    publicModules: native.publicModules,
    schemeOnlyModules: native.schemeOnlyModules,
    isLoaded: (id) => builtins.has(id),
    loadedIds: () => [...builtins.keys()],
    /** Whether `id` (without node:) names a module that programs can load. */
    isPublic: (id) => publicIds.has(id),
    /** Whether a bare `id`, without node:, names one. */
    canBeRequiredWithoutScheme: (id) => publicIds.has(id) && !native.schemeOnlyModules.includes(id),
  },
  id: '#runtime/loader',
  loaded: true,
});

setHook('requireBuiltin', requireBuiltin);

const errors = requireBuiltin('#internal/errors');
setHook('errorCodes', errors.codes);

const EventEmitter = requireBuiltin('events');
Object.setPrototypeOf(Object.getPrototypeOf(process), EventEmitter.prototype);

requireBuiltin('#process/setup').setup(process);
requireBuiltin('#web/globals').install(globalThis, process);
requireBuiltin('timers');
requireBuiltin('#timers/internals').setupLoop();
requireBuiltin('#runtime/prepare').install(setHook);
// What nearly every program needs is made here, so that the snapshot holds it.
for (const id of ['buffer', 'util', 'path', 'fs', 'url', 'stream', 'console', 'timers', '#module/cjs', '#module/esm', 'module',
  '#module/run_main', '#stdio/stdio', '#process/exit', '#process/fatal']) {
  requireBuiltin(id);
}
Object.defineProperty(globalThis, 'console', {
  __proto__: null, value: requireBuiltin('console'), writable: true, enumerable: false, configurable: true,
});
if (native.isMakingSnapshot()) {
  const { run, dropHiddenClasses } = requireBuiltin('#runtime/warm_up');
  run();
  builtins.delete('#runtime/warm_up');
  for (const { exports } of builtins.values()) dropHiddenClasses(exports);
  for (const target of bindings.values()) dropHiddenClasses(target);
}

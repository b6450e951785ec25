'use strict';

// process.finalization: callbacks for objects that may still be alive when the process exits.

const { codes: { ERR_INVALID_ARG_TYPE } } = require('#internal/errors');
const { validateFunction } = require('#internal/validators');

/** @type {Map<string, Set<{ ref: WeakRef<object>, fn: Function }>>} */
const registered = new Map([['exit', new Set()], ['beforeExit', new Set()]]);
let registry;
const installed = new Set();

function run(event) {
  for (const entry of registered.get(event)) {
    registered.get(event).delete(entry);
    const object = entry.ref.deref();
    if (object !== undefined) entry.fn(object, event);
  }
}

function add(event, object, fn) {
  if (object === null || (typeof object !== 'object' && typeof object !== 'function')) {
    throw new ERR_INVALID_ARG_TYPE('obj', 'Object', object);
  }
  validateFunction(fn, 'fn');
  if (!installed.has(event)) {
    installed.add(event);
    process.on(event, () => run(event));
  }
  registry ??= new FinalizationRegistry((entry) => {
    for (const entries of registered.values()) entries.delete(entry);
  });
  const entry = { ref: new WeakRef(object), fn };
  registered.get(event).add(entry);
  registry.register(object, entry, object);
}

const finalization = {
  register(object, fn) {
    add('exit', object, fn);
  },
  registerBeforeExit(object, fn) {
    add('beforeExit', object, fn);
  },
  unregister(object) {
    registry?.unregister(object);
    for (const entries of registered.values()) {
      for (const entry of entries) {
        if (entry.ref.deref() === object) entries.delete(entry);
      }
    }
  },
};

module.exports = { finalization };

'use strict';

// The one user of V8's promise hooks of a context: lets async_hooks and v8.promiseHooks watch promises
// together. A kind that nobody watches is given to V8 as undefined, so that it costs nothing.

const { setPromiseHooks } = binding('async_context');
const { validatePlainFunction } = require('#async_hooks/validate');

const kinds = ['init', 'before', 'after', 'settled'];
let watchers = { init: [], before: [], after: [], settled: [] };

/** One function that calls all of `list`; an error in one is uncaught, and the others still run. */
function combine(list) {
  if (list.length === 0) return undefined;
  const call = (fn, promise, parent) => {
    try {
      fn(promise, parent);
    } catch (error) {
      require('#process/task_queues').triggerUncaughtException(error, false);
    }
  };
  if (list.length === 1) {
    const only = list[0];
    return (promise, parent) => call(only, promise, parent);
  }
  return (promise, parent) => {
    for (const fn of list) call(fn, promise, parent);
  };
}

function update() {
  setPromiseHooks(...kinds.map((kind) => combine(watchers[kind])));
}

function change(kind, next) {
  watchers = { ...watchers, [kind]: next };
}

/** Adds hooks of several kinds; the result takes them away. */
function createHook({ init, before, after, settled } = {}) {
  const added = Object.entries({ init, before, after, settled }).filter(([, fn]) => fn !== undefined);
  for (const [kind, fn] of added) validatePlainFunction(fn, `${kind}Hook`);
  for (const [kind, fn] of added) change(kind, [...watchers[kind], fn]);
  update();
  return () => {
    for (const [kind, fn] of added) change(kind, watchers[kind].filter((other) => other !== fn));
    update();
  };
}

const only = (kind) => (fn) => {
  if (fn === undefined) validatePlainFunction(fn, `${kind}Hook`);
  return createHook({ [kind]: fn });
};

module.exports = {
  createHook,
  onInit: only('init'),
  onBefore: only('before'),
  onAfter: only('after'),
  onSettled: only('settled'),
};

'use strict';

// module.registerHooks(): synchronous hooks of this thread that see every resolution and every load, of require and
// import alike. Hooks registered last run first; each may call the next.

const { codes: { ERR_INVALID_RETURN_PROPERTY_VALUE, ERR_INVALID_ARG_TYPE } } = require('#internal/errors');
const { validateObject } = require('#internal/validators');

const { isLoaded } = require('#runtime/loader');

const kHooked = Symbol('hooked resolution');
/** @type {{ resolve?: Function, load?: Function }[]} */
let chain = [];

function registerHooks(hooks) {
  validateObject(hooks, 'hooks');
  for (const name of ['resolve', 'load']) {
    if (hooks[name] !== undefined && typeof hooks[name] !== 'function') {
      throw new ERR_INVALID_ARG_TYPE(`hooks.${name}`, 'function', hooks[name]);
    }
  }
  const entry = { resolve: hooks.resolve, load: hooks.load };
  chain = [...chain, entry];
  return {
    deregister() {
      chain = chain.filter((other) => other !== entry);
    },
  };
}

const has = (name) => chain.some((entry) => entry[name] !== undefined);

/** Runs the hooks of one kind, last registered first, then `last`. */
function run(name, subject, context, last) {
  const fns = chain.map((entry) => entry[name]).filter(Boolean);
  const step = (index) => (value, changes) => {
    const merged = { ...context, ...changes };
    if (index < 0) return last(value, merged);
    let called = false;
    const result = fns[index](value, merged, (...args) => {
      called = true;
      return step(index - 1)(args[0] ?? value, { ...merged, ...args[1] });
    });
    check(name, result, called);
    return result;
  };
  return step(fns.length - 1)(subject, {});
}

function check(name, result, called) {
  if (result === null || typeof result !== 'object') {
    const { ERR_INVALID_RETURN_VALUE } = require('#internal/errors').codes;
    throw new ERR_INVALID_RETURN_VALUE('object', `hooks.${name} hook's returned value`, result);
  }
  if (!called && !result.shortCircuit) {
    throw new ERR_INVALID_RETURN_PROPERTY_VALUE('true', `${name}`, 'shortCircuit', result.shortCircuit);
  }
}

/** @returns {{ filename: string, url: string, format?: string } | undefined} undefined when no hook looks at it */
function resolveForRequire(request, parent, isMain) {
  if (!has('resolve')) return undefined;
  const { Module } = require('#module/cjs');
  const { pathToFileURL, fileURLToPath } = require('url');
  const { requireConditions, isBuiltin } = require('#module/package_resolve');
  const context = {
    conditions: [...requireConditions()],
    importAttributes: {},
    parentURL: parent?.filename ? pathToFileURL(parent.filename).href : undefined,
  };
  const result = run('resolve', request, context, (specifier, merged) => {
    if (specifier.startsWith('file:')) return { url: specifier };
    const filename = Module._resolveFilename(specifier, parent, isMain, { conditions: new Set(merged.conditions) });
    if (isBuiltin(filename)) return { url: filename.startsWith('node:') ? filename : `node:${filename}`, format: 'builtin' };
    return { url: pathToFileURL(filename).href };
  });
  const { url, format } = result;
  return { url, format, filename: url.startsWith('file:') ? fileURLToPath(url) : url };
}

/** @returns {{ source: any, format?: string } | undefined} */
function loadForRequire(module, filename) {
  if (!has('load')) return undefined;
  const { pathToFileURL, fileURLToPath } = require('url');
  const { requireConditions } = require('#module/package_resolve');
  const hooked = module[kHooked];
  const url = hooked?.url ?? pathToFileURL(filename).href;
  const context = { conditions: [...requireConditions()], importAttributes: {}, format: hooked?.format };
  return run('load', url, context, (target, merged) => {
    const { readSource } = require('#module/cjs');
    return { source: readSource(target.startsWith('file:') ? fileURLToPath(target) : target), format: merged.format };
  });
}

/** The hooks of this thread come first, then those on a thread of their own (hooks_thread.js), then the loader itself. */
function resolveForImport(specifier, context, last) {
  const client = thread();
  if (client !== undefined) last = (value, merged) => client.resolve(value, merged);
  return has('resolve') ? run('resolve', specifier, context, last) : last(specifier, context);
}

function loadForImport(url, context, last) {
  const client = thread();
  if (client !== undefined) last = (value, merged) => ({ ...client.load(value, merged), isCustom: true });
  if (!has('load')) return last(url, context);
  const withFormat = client === undefined ? require('#module/esm_load').loadForSyncHooks : last;
  const external = context.format?.startsWith('detect') ? { ...context, format: undefined } : context;
  return run('load', url, external, withFormat);
}

const thread = () => (isLoaded('#module/hooks_thread') ? require('#module/hooks_thread').current() : undefined);

/** Whether modules are to be loaded by way of hooks, of either kind. */
const areThere = () => chain.length > 0 || thread() !== undefined;

module.exports = {
  areThere, registerHooks, resolveForRequire, loadForRequire, resolveForImport, loadForImport, kHooked,
};

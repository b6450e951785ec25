'use strict';

// The chain of hooks on the hooks' thread: each may call the next, the last are the loader's own.

const {
  codes: {
    ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_RETURN_PROPERTY_VALUE, ERR_INVALID_RETURN_VALUE,
    ERR_LOADER_CHAIN_INCOMPLETE,
  },
} = require('#internal/errors');

/** @typedef {{ fn: Function, url: string }} Entry */

/** @type {{ resolve: Entry[], load: Entry[] }} the loader's own first */
const chains = { resolve: [], load: [] };

function add(url, { resolve, load }) {
  if (resolve !== undefined) chains.resolve.push({ fn: resolve, url });
  if (load !== undefined) chains.load.push({ fn: load, url });
}

const checks = {
  resolve(where, specifier, context) {
    if (typeof specifier !== 'string') throw new ERR_INVALID_ARG_TYPE(`${where} specifier`, 'string', specifier);
    if (context !== undefined) checkObject(`${where} context`, context);
  },
  load(where, url, context) {
    if (typeof url !== 'string') throw new ERR_INVALID_ARG_TYPE(`${where} url`, 'string', url);
    if (!URL.canParse(url)) throw new ERR_INVALID_ARG_VALUE(`${where} url`, url, 'should be a URL string');
    if (context !== undefined) checkObject(`${where} context`, context);
  },
};

function checkObject(name, value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new ERR_INVALID_ARG_TYPE(name, 'Object', value);
}

/** @returns {Function} what hook `index + 1` gets as its next */
function nextOf(kind, index, run) {
  const { fn, url } = chains[kind][index];
  const name = `next${kind[0].toUpperCase()}${kind.slice(1)}`;
  const where = `${chains[kind][index + 1]?.url ?? url} '${kind}' hook's ${name}()`;
  const next = async (value, context) => {
    checks[kind](where, value, context);
    const merged = { ...run.context, ...context };
    run.context = merged;
    if (index === 0) run.finished = true;
    run.last = `${url} '${kind}'`;
    const result = await (index === 0 ? fn(value, merged) : fn(value, merged, nextOf(kind, index - 1, run)));
    if (result === null || typeof result !== 'object') throw new ERR_INVALID_RETURN_VALUE('an object', where, result);
    if (result.shortCircuit) run.shortCircuited = true;
    return result;
  };
  return Object.defineProperty(next, 'name', { __proto__: null, value: name });
}

async function runChain(kind, value, context) {
  const run = { context, finished: false, shortCircuited: false, last: '' };
  const top = chains[kind].length - 1;
  const result = await nextOf(kind, top, run)(value, undefined);
  const where = run.last;
  if (!run.finished && !run.shortCircuited) throw new ERR_LOADER_CHAIN_INCOMPLETE(where);
  return [result, `${where.replace(/'(\w+)'$/, "'$1' hook's function")}`];
}

/** @returns {Promise<{ url: string, format?: string, importAttributes?: object }>} */
async function resolve(specifier, context) {
  const [{ url, format, importAttributes }, where] = await runChain('resolve', specifier, context);
  if (typeof url !== 'string' || !URL.canParse(url)) {
    throw new ERR_INVALID_RETURN_PROPERTY_VALUE('a URL string', where, 'url', url);
  }
  if (format !== undefined && format !== null && typeof format !== 'string') {
    throw new ERR_INVALID_RETURN_PROPERTY_VALUE('a string', where, 'format', format);
  }
  if (importAttributes !== undefined && (importAttributes === null || typeof importAttributes !== 'object')) {
    throw new ERR_INVALID_RETURN_PROPERTY_VALUE('an object', where, 'importAttributes', importAttributes);
  }
  return { url, format: format ?? undefined, importAttributes };
}

function isSource(source) {
  return source === undefined || source === null || typeof source === 'string' || ArrayBuffer.isView(source) ||
    source instanceof ArrayBuffer || source instanceof SharedArrayBuffer;
}

/** @returns {Promise<{ format: string, source: any }>} */
async function load(url, context) {
  const [{ format, source, responseURL }, where] = await runChain('load', url, context);
  if (format !== undefined && format !== null && typeof format !== 'string') {
    throw new ERR_INVALID_RETURN_PROPERTY_VALUE('a string', where, 'format', format);
  }
  if (!isSource(source)) {
    throw new ERR_INVALID_RETURN_PROPERTY_VALUE('a string, an ArrayBuffer, or a TypedArray', where, 'source', source);
  }
  if (responseURL !== undefined && (typeof responseURL !== 'string' || !URL.canParse(responseURL))) {
    throw new ERR_INVALID_RETURN_PROPERTY_VALUE('undefined or a fully resolved URL string', where, 'responseURL', responseURL);
  }
  return { format, source };
}

function setDefaults(defaultResolve, defaultLoad) {
  chains.resolve[0] = { fn: defaultResolve, url: 'node:internal/modules/esm/resolve' };
  chains.load[0] = { fn: defaultLoad, url: 'node:internal/modules/esm/load' };
}

module.exports = { add, resolve, load, setDefaults };

'use strict';

// mock.module(): other exports for a module, whoever requires or imports it from now on. Both loaders ask here first, once
// there is a mock.

const { ModuleWrap } = binding('module');
const { codes: { ERR_INVALID_STATE } } = require('#internal/errors');
const { validateBoolean, validateObject } = require('#internal/validators');
const { Module } = /** @type {any} */ (require('#module/cjs'));
const esm = require('#module/esm');

/** URL -> mock. @type {Map<string, ModuleMock>} */
const active = new Map();

class ModuleMock {
  constructor(url, format, options) {
    const { cache = false, defaultExport, namedExports = {} } = options;
    validateBoolean(cache, 'options.cache');
    validateObject(namedExports, 'options.namedExports');
    this.url = url;
    this.isCjs = format !== 'module' && format !== 'module-typescript' && format !== 'json';
    this.format = format;
    this.cache = cache;
    this.hasDefault = 'defaultExport' in options;
    this.defaultExport = defaultExport;
    this.namedExports = namedExports;
    this.names = Object.keys(namedExports);
  }

  /** What require() gives. */
  get exports() {
    if (this.cache && this.cachedExports !== undefined) return this.cachedExports.value;
    const value = this.hasDefault ? this.defaultExport : {};
    const canHold = value !== null && (typeof value === 'object' || typeof value === 'function');
    if (this.names.length > 0 && !canHold && (this.isCjs || !this.hasDefault)) {
      throw new Error(`Cannot create mock because named exports cannot be applied to the default export of '${this.url}'`);
    }
    if (canHold) for (const name of this.names) value[name] = this.namedExports[name];
    this.cachedExports = { value };
    return value;
  }

  /** What import gives. */
  makeJob(attributes) {
    require('#module/esm_load').checkAttributes(this.url, this.format, attributes ?? {});
    if (this.cache && this.cachedJob !== undefined) return this.cachedJob;
    const exports = this.isCjs ? this.exports : undefined;
    const names = new Set(this.names);
    names.delete('default');
    if (this.hasDefault || this.isCjs) names.add('default');
    const wrap = new ModuleWrap(this.url, [...names], () => {
      for (const name of names) {
        if (name !== 'default') wrap.setExport(name, this.namedExports[name]);
      }
      if (names.has('default')) wrap.setExport('default', this.isCjs ? exports : this.defaultExport);
    });
    const job = { url: this.url, format: 'mock', wrap, linked: true, jobs: [] };
    wrap.link([]);
    esm.jobOf.set(wrap, job);
    this.cachedJob = job;
    return job;
  }

  restore() {
    if (active.get(this.url) === this) active.delete(this.url);
  }
}

/** @returns {{ exports: any } | undefined} for require() */
function forRequire(request, parent, isMain) {
  if (active.size === 0) return undefined;
  let url;
  if (Module.isBuiltin(request)) {
    url = request.startsWith('node:') ? request : `node:${request}`;
  } else {
    try {
      url = require('url').pathToFileURL(Module._resolveFilename(request, parent, isMain)).href;
    } catch {
      return undefined;
    }
  }
  return active.get(url);
}

/** For import. */
function forImport(url, attributes) {
  return active.get(url)?.makeJob(attributes);
}

/** @param {string | URL} specifier as seen from the calling file */
function mockModule(specifier, options = {}) {
  if (!(specifier instanceof URL)) require('#internal/validators').validateString(specifier, 'specifier');
  validateObject(options, 'options');
  require('#internal/util').emitExperimentalWarning('Module mocking');
  const { pathToFileURL } = require('url');
  const caller = require('#test/location').callerLocation();
  const parentURL = pathToFileURL(caller?.file ?? `${process.cwd()}/`).href;
  const resolve = require('#module/esm_resolve').defaultResolve;
  const text = `${specifier}`;
  const { url, format } = resolve(text.startsWith('/') ? pathToFileURL(text).href : text, { parentURL });
  if (active.has(url)) throw new ERR_INVALID_STATE(`Cannot mock '${text}'. The module is already mocked.`);
  const mock = new ModuleMock(url, format, options);
  active.set(url, mock);
  require('#module/cjs').setMocks(forRequire);
  esm.setMocks(forImport);
  return mock;
}

/** What mock.module() gives to the test. */
class MockModuleContext {
  #mock;

  constructor(mock) {
    this.#mock = mock;
  }

  restore() {
    this.#mock?.restore();
    this.#mock = undefined;
  }
}

module.exports = { create: (specifier, options) => new MockModuleContext(mockModule(specifier, options)) };

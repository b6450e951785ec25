'use strict';
// vm.Module, SourceTextModule and SyntheticModule (with --experimental-vm-modules): ECMAScript modules that a program
// links itself, in any context.

const {
  codes: {
    ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS, ERR_MODULE_LINK_MISMATCH,
    ERR_VM_MODULE_ALREADY_LINKED, ERR_VM_MODULE_CANNOT_CREATE_CACHED_DATA, ERR_VM_MODULE_DIFFERENT_CONTEXT, ERR_VM_MODULE_LINK_FAILURE,
    ERR_VM_MODULE_NOT_MODULE, ERR_VM_MODULE_STATUS,
  },
} = require('#internal/errors');
const { customInspectSymbol, emitExperimentalWarning, kEmptyObject } = require('#internal/util');
const {
  validateArray, validateBoolean, validateFunction, validateInt32, validateObject, validateString, validateUint32,
} = require('#internal/validators');

const { ModuleWrap, kErrored, kEvaluated, kEvaluating, kInstantiated, kUninstantiated } = binding('module');
const vmNative = binding('vm');

const kWrap = Symbol('kWrap');
const kContext = Symbol('kContext');
const kLink = Symbol('kLink');
const kNoError = Symbol('kNoError');

/** By context: how many modules were made without a name. */
const counters = new WeakMap();
let mainCounter = 0;

function defaultIdentifier(context) {
  const count = context === undefined ? mainCounter++ : counters.get(context) ?? 0;
  if (context !== undefined) counters.set(context, count + 1);
  return `vm:module(${count})`;
}

function isModule(value) {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, kWrap);
}

function checkThis(value, name = 'Module') {
  if (!isModule(value)) throw new ERR_INVALID_THIS(name);
}

function statusOf(wrap) {
  const status = wrap.getStatus();
  if (status === kUninstantiated) return 'unlinked';
  if (status === kEvaluated) return 'evaluated';
  if (status === kErrored) return 'errored';
  if (status === kEvaluating) return 'evaluating';
  return status === kInstantiated ? 'linked' : 'linking';
}

class Module {
  constructor(options) {
    emitExperimentalWarning('VM Modules');
    if (new.target === Module) throw new TypeError('Module is not a constructor');
    const { context, identifier } = options;
    if (context !== undefined) {
      validateObject(context, 'context');
      if (!vmNative.isContext(context)) throw new ERR_INVALID_ARG_TYPE('options.context', 'vm.Context', context);
    }
    if (identifier !== undefined) validateString(identifier, 'options.identifier');
    const wrap = options.make(identifier ?? defaultIdentifier(context), context);
    hide(this, kWrap, wrap);
    hide(this, kContext, context);
  }

  get identifier() {
    checkThis(this);
    return this[kWrap].getUrl();
  }

  get context() {
    checkThis(this);
    return this[kContext];
  }

  get namespace() {
    checkThis(this);
    if (this[kWrap].getStatus() < kInstantiated) {
      throw new ERR_VM_MODULE_STATUS('must not be unlinked or linking');
    }
    return this[kWrap].getNamespace();
  }

  get status() {
    checkThis(this);
    return statusOf(this[kWrap]);
  }

  get error() {
    checkThis(this);
    if (this[kWrap].getStatus() !== kErrored) throw new ERR_VM_MODULE_STATUS('must be errored');
    return this[kWrap].getError();
  }

  async link(linker) {
    checkThis(this);
    validateFunction(linker, 'linker');
    if (this.status === 'linked') throw new ERR_VM_MODULE_ALREADY_LINKED();
    if (this.status !== 'unlinked') throw new ERR_VM_MODULE_STATUS('must be unlinked');
    await this[kLink](linker);
    this[kWrap].instantiate();
  }

  evaluate(options = kEmptyObject) {
    try {
      checkThis(this);
      validateObject(options, 'options');
      let { timeout } = options;
      if (timeout === undefined) timeout = 0;
      else validateUint32(timeout, 'options.timeout', true);
      const { breakOnSigint = false } = options;
      validateBoolean(breakOnSigint, 'options.breakOnSigint');
      const { status } = this;
      if (status !== 'linked' && status !== 'evaluated' && status !== 'errored') {
        throw new ERR_VM_MODULE_STATUS('must be one of linked, evaluated, or errored');
      }
      const result = this[kWrap].evaluateFor(timeout, breakOnSigint);
      // A synthetic module whose steps threw has no promise of its own.
      return result ?? Promise.reject(this[kWrap].getError());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  [customInspectSymbol](depth, options) {
    checkThis(this);
    const constructor = this.constructor ?? Module;
    const name = constructor.name || 'Module';
    if (typeof depth === 'number' && depth < 0) return `[${name}]`;
    const shown = Object.create(constructor.prototype);
    for (const key of ['status', 'identifier', 'context']) {
      Object.defineProperty(shown, key, { __proto__: null, value: this[key], enumerable: true });
    }
    return require('util').inspect(shown, { ...options, customInspect: false });
  }
}

function hide(target, key, value) {
  Object.defineProperty(target, key, { __proto__: null, value, writable: true, enumerable: false });
}

/** The symbol by which the loader finds `importModuleDynamically`. */
function importerOf(callback, identifier, module) {
  return require('#vm/importers').importerIdOf(callback, identifier, module);
}

class SourceTextModule extends Module {
  #error = kNoError;
  #linking = false;
  #hasLinked = false;
  #requests;
  /** @type {Module[]} those of linkRequests() */
  #children = [];

  constructor(sourceText, options = kEmptyObject) {
    validateString(sourceText, 'sourceText');
    validateObject(options, 'options');
    const {
      lineOffset = 0, columnOffset = 0, initializeImportMeta, importModuleDynamically, context, identifier, cachedData,
    } = options;
    validateInt32(lineOffset, 'options.lineOffset');
    validateInt32(columnOffset, 'options.columnOffset');
    if (initializeImportMeta !== undefined) validateFunction(initializeImportMeta, 'options.initializeImportMeta');
    if (cachedData !== undefined && !ArrayBuffer.isView(cachedData)) {
      throw new ERR_INVALID_ARG_TYPE('options.cachedData', ['Buffer', 'TypedArray', 'DataView'], cachedData);
    }
    let self;
    super({
      context,
      identifier,
      make: (url, home) => new ModuleWrap(url, sourceText, importerOf(importModuleDynamically, url, () => self), home,
        lineOffset, columnOffset, cachedData),
    });
    self = this;
    if (initializeImportMeta !== undefined) {
      this[kWrap].initializeImportMeta = (meta) => initializeImportMeta(meta, this);
    }
  }

  async [kLink](linker) {
    if (this.#hasLinked) return;
    this.#hasLinked = true;
    this.#linking = true;
    try {
      const wraps = await Promise.all(this.#modules().map(async ({ specifier, attributes }) => {
        const module = await linker(specifier, this, { attributes, assert: attributes });
        if (!isModule(module)) throw new ERR_VM_MODULE_NOT_MODULE();
        if (module.context !== this.context) throw new ERR_VM_MODULE_DIFFERENT_CONTEXT();
        if (module.status === 'errored') {
          throw new ERR_VM_MODULE_LINK_FAILURE(`request for '${specifier}' resolved to an errored module`,
            module.error);
        }
        if (module.status === 'unlinked') await module[kLink](linker);
        return module[kWrap];
      }));
      this[kWrap].link(wraps);
    } catch (error) {
      this.#error = error;
      throw error;
    } finally {
      this.#linking = false;
    }
  }

  #modules() {
    return this.#requests ??= this[kWrap].getModuleRequests();
  }

  linkRequests(modules) {
    checkThis(this, 'SourceTextModule');
    if (this.status !== 'unlinked') throw new ERR_VM_MODULE_STATUS('must be unlinked');
    validateArray(modules, 'modules');
    const requests = this.#modules();
    if (modules.length !== requests.length) {
      throw new ERR_MODULE_LINK_MISMATCH(`Expected ${requests.length} modules, got ${modules.length}`);
    }
    const byKey = new Map();
    const wraps = modules.map((module, index) => {
      if (!isModule(module)) throw new ERR_VM_MODULE_NOT_MODULE();
      const { specifier, attributes } = requests[index];
      const key = JSON.stringify([specifier, Object.entries(attributes)]);
      if (byKey.has(key) && byKey.get(key) !== module) {
        throw new ERR_MODULE_LINK_MISMATCH(`Module request '${specifier}' at index ${index} must be linked to the same module`);
      }
      byKey.set(key, module);
      if (module.context !== this.context) throw new ERR_VM_MODULE_DIFFERENT_CONTEXT();
      return module[kWrap];
    });
    this[kWrap].link(wraps);
    this.#children = modules;
    this.#hasLinked = true;
  }

  /** Throws for a module below that imports something and is not linked. */
  #checkLinked(seen = new Set()) {
    if (seen.has(this)) return;
    seen.add(this);
    const [request] = this.#modules();
    if (!this.#hasLinked && request !== undefined) {
      throw new ERR_VM_MODULE_LINK_FAILURE(
        `request for '${request.specifier}' can not be resolved on module '${this.identifier}' that is not linked`);
    }
    for (const child of this.#children) if (#children in child) child.#checkLinked(seen);
  }

  instantiate() {
    checkThis(this, 'SourceTextModule');
    if (this.status !== 'unlinked') throw new ERR_VM_MODULE_STATUS('must be unlinked');
    if (!this.#hasLinked) throw new ERR_VM_MODULE_LINK_FAILURE('module is not linked');
    this.#checkLinked();
    this[kWrap].instantiate();
  }

  get dependencySpecifiers() {
    checkThis(this, 'SourceTextModule');
    return Object.freeze(this.#modules().map(({ specifier }) => specifier));
  }

  get moduleRequests() {
    checkThis(this, 'SourceTextModule');
    return Object.freeze(this.#modules().map(({ specifier, attributes, phase }) => Object.freeze({
      __proto__: null, specifier, attributes: Object.freeze(attributes), phase,
    })));
  }

  get status() {
    checkThis(this, 'SourceTextModule');
    if (this.#error !== kNoError) return 'errored';
    return this.#linking ? 'linking' : super.status;
  }

  get error() {
    checkThis(this, 'SourceTextModule');
    return this.#error !== kNoError ? this.#error : super.error;
  }

  hasAsyncGraph() {
    checkThis(this, 'SourceTextModule');
    if (this[kWrap].getStatus() < kInstantiated) throw new ERR_VM_MODULE_STATUS('must be instantiated');
    return this[kWrap].isGraphAsync();
  }

  hasTopLevelAwait() {
    checkThis(this, 'SourceTextModule');
    return this[kWrap].hasTopLevelAwait();
  }

  createCachedData() {
    checkThis(this, 'SourceTextModule');
    const { status } = this;
    if (status === 'evaluating' || status === 'evaluated' || status === 'errored') {
      throw new ERR_VM_MODULE_CANNOT_CREATE_CACHED_DATA();
    }
    return this[kWrap].createCachedData();
  }
}

class SyntheticModule extends Module {
  constructor(exportNames, evaluateCallback, options = kEmptyObject) {
    if (!Array.isArray(exportNames) || exportNames.some((name) => typeof name !== 'string')) {
      throw new ERR_INVALID_ARG_TYPE('exportNames', 'Array of unique strings', exportNames);
    }
    exportNames.forEach((name, i) => {
      if (exportNames.indexOf(name, i + 1) !== -1) {
        throw new ERR_INVALID_ARG_VALUE(`exportNames.${name}`, name, 'is duplicated');
      }
    });
    validateFunction(evaluateCallback, 'evaluateCallback');
    validateObject(options, 'options');
    const { context, identifier } = options;
    let self;
    super({
      context,
      identifier,
      make: (url, home) => new ModuleWrap(url, exportNames, () => Reflect.apply(evaluateCallback, self, []), home),
    });
    self = this;
    // It imports nothing, so that it is ready at once.
    this[kWrap].link([]);
    this[kWrap].instantiate();
  }

  link() {
    checkThis(this, 'SyntheticModule');
    // Linked since it was made.
    return Promise.resolve();
  }

  setExport(name, value) {
    checkThis(this, 'SyntheticModule');
    validateString(name, 'name');
    if (this[kWrap].getStatus() < kInstantiated) throw new ERR_VM_MODULE_STATUS('must be linked');
    this[kWrap].setExport(name, value);
  }
}

/** What import() of the module gives: it is evaluated first. */
async function namespaceOf(module) {
  if (module.status === 'linked') await module.evaluate();
  return module[kWrap].getNamespace();
}

module.exports = { Module, SourceTextModule, SyntheticModule, isModule, namespaceOf };

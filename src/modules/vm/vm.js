'use strict';
// node:vm: scripts, functions and contexts. Contexts are made in contextify.cc; this file checks options; importers.js
// decides who answers import() in compiled code.

const {
  codes: { ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');
const { emitExperimentalWarning, kEmptyObject } = require('#internal/util');
const {
  validateArray, validateBoolean, validateInt32, validateObject, validateOneOf, validateString, validateStringArray,
  validateUint32,
} = require('#internal/validators');

const native = binding('vm');
const { ContextifyScript } = native;

const { USE_MAIN_CONTEXT_DEFAULT_LOADER, importerIdOf } = require('#vm/importers');

const DONT_CONTEXTIFY = Symbol('vm_context_no_contextify');

/** Objects that vm made contexts of; the native side knows, this only names the check. */
function isContext(object) {
  validateObject(object, 'object', { allowArray: true, allowFunction: true });
  return native.isContext(object);
}

function validateContext(contextifiedObject) {
  if (!isContext(contextifiedObject)) {
    throw new ERR_INVALID_ARG_TYPE('contextifiedObject', 'vm.Context', contextifiedObject);
  }
}

// Whose intrinsics the code is parsed with; only runInContext and its kin set it.
const kParsingContext = Symbol('script parsing context');

class Script extends ContextifyScript {
  constructor(code, options = kEmptyObject) {
    code = `${code}`;
    if (typeof options === 'string') options = { filename: options };
    else validateObject(options, 'options');
    const {
      filename = 'evalmachine.<anonymous>', lineOffset = 0, columnOffset = 0, cachedData, produceCachedData = false,
      importModuleDynamically, [kParsingContext]: parsingContext,
    } = options;
    validateString(filename, 'options.filename');
    validateInt32(lineOffset, 'options.lineOffset');
    validateInt32(columnOffset, 'options.columnOffset');
    if (cachedData !== undefined && !ArrayBuffer.isView(cachedData)) {
      throw new ERR_INVALID_ARG_TYPE('options.cachedData', ['Buffer', 'TypedArray', 'DataView'], cachedData);
    }
    validateBoolean(produceCachedData, 'options.produceCachedData');
    let self;
    const importerId = importerIdOf(importModuleDynamically, filename, () => self);
    super(code, filename, lineOffset, columnOffset, cachedData, produceCachedData, importerId, parsingContext);
    self = this;
  }

  runInThisContext(options) {
    const { timeout, displayErrors, breakOnSigint } = runOptions(options);
    return super.runInContext(null, timeout, displayErrors, breakOnSigint);
  }

  runInContext(contextifiedObject, options) {
    validateContext(contextifiedObject);
    const { timeout, displayErrors, breakOnSigint } = runOptions(options);
    return super.runInContext(contextifiedObject, timeout, displayErrors, breakOnSigint);
  }

  runInNewContext(contextObject, options) {
    const context = createContext(contextObject, contextOptions(options));
    return this.runInContext(context, options);
  }
}
/** How to run. A timeout of -1 is none. */
function runOptions(options = kEmptyObject) {
  validateObject(options, 'options');
  let { timeout } = options;
  if (timeout === undefined) timeout = -1;
  else validateUint32(timeout, 'options.timeout', true);
  const { displayErrors = true, breakOnSigint = false } = options;
  validateBoolean(displayErrors, 'options.displayErrors');
  validateBoolean(breakOnSigint, 'options.breakOnSigint');
  return { timeout, displayErrors, breakOnSigint };
}

/** The options of runInNewContext that are about the context. */
function contextOptions(options) {
  if (!options) return {};
  validateObject(options, 'options');
  const { contextName, contextOrigin, contextCodeGeneration, microtaskMode } = options;
  if (contextName !== undefined) validateString(contextName, 'options.contextName');
  if (contextOrigin !== undefined) validateString(contextOrigin, 'options.contextOrigin');
  let codeGeneration;
  if (contextCodeGeneration !== undefined) {
    validateObject(contextCodeGeneration, 'options.contextCodeGeneration');
    const { strings = true, wasm = true } = contextCodeGeneration;
    validateBoolean(strings, 'options.contextCodeGeneration.strings');
    validateBoolean(wasm, 'options.contextCodeGeneration.wasm');
    codeGeneration = { strings, wasm };
  }
  if (microtaskMode !== undefined) validateString(microtaskMode, 'options.microtaskMode');
  return { name: contextName, origin: contextOrigin, codeGeneration, microtaskMode };
}

let defaultContextNameIndex = 1;

function createContext(contextObject = {}, options = kEmptyObject) {
  const vanilla = contextObject === DONT_CONTEXTIFY;
  if (!vanilla && isContext(contextObject)) return contextObject;
  validateObject(options, 'options');
  const {
    name = `VM Context ${defaultContextNameIndex++}`, origin, codeGeneration, microtaskMode, importModuleDynamically,
  } = options;
  validateString(name, 'options.name');
  if (origin !== undefined) validateString(origin, 'options.origin');
  if (codeGeneration !== undefined) validateObject(codeGeneration, 'options.codeGeneration');
  let strings = true;
  let wasm = true;
  if (codeGeneration !== undefined) {
    ({ strings = true, wasm = true } = codeGeneration);
    validateBoolean(strings, 'options.codeGeneration.strings');
    validateBoolean(wasm, 'options.codeGeneration.wasm');
  }
  validateOneOf(microtaskMode, 'options.microtaskMode', ['afterEvaluate', undefined]);
  const ownMicrotasks = microtaskMode === 'afterEvaluate';
  let result = contextObject;
  const importerId = importerIdOf(importModuleDynamically, name, () => result);
  if (vanilla) result = native.makeContext(undefined, name, origin, strings, wasm, ownMicrotasks, importerId);
  else native.makeContext(contextObject, name, origin, strings, wasm, ownMicrotasks, importerId);
  if (require('#runtime/options').getOptionValue('--disable-proto')) {
    require('#process/disable_proto').apply({ Object: runInContext('Object', result) });
  }
  return result;
}
Object.defineProperty(createContext, 'length', { __proto__: null, value: 0, configurable: true });

function createScript(code, options) {
  return new Script(code, options);
}

function runInContext(code, contextifiedObject, options) {
  validateContext(contextifiedObject);
  if (typeof options === 'string') options = { filename: options, [kParsingContext]: contextifiedObject };
  else options = { ...options, [kParsingContext]: contextifiedObject };
  return createScript(code, options).runInContext(contextifiedObject, options);
}

function runInNewContext(code, contextObject, options) {
  if (typeof options === 'string') options = { filename: options };
  contextObject = createContext(contextObject, contextOptions(options));
  options = { ...options, [kParsingContext]: contextObject };
  return createScript(code, options).runInNewContext(contextObject, options);
}

function runInThisContext(code, options) {
  if (typeof options === 'string') options = { filename: options };
  return createScript(code, options).runInThisContext(options);
}

function compileFunction(code, params, options = kEmptyObject) {
  validateString(code, 'code');
  if (params !== undefined) validateStringArray(params, 'params');
  validateObject(options, 'options');
  const {
    filename = '', columnOffset = 0, lineOffset = 0, cachedData, produceCachedData = false, parsingContext,
    contextExtensions = [], importModuleDynamically,
  } = options;
  validateString(filename, 'options.filename');
  validateInt32(columnOffset, 'options.columnOffset');
  validateInt32(lineOffset, 'options.lineOffset');
  if (cachedData !== undefined && !ArrayBuffer.isView(cachedData)) {
    throw new ERR_INVALID_ARG_TYPE('options.cachedData', ['Buffer', 'TypedArray', 'DataView'], cachedData);
  }
  validateBoolean(produceCachedData, 'options.produceCachedData');
  if (parsingContext !== undefined &&
      (typeof parsingContext !== 'object' || parsingContext === null || !isContext(parsingContext))) {
    throw new ERR_INVALID_ARG_TYPE('options.parsingContext', 'Context', parsingContext);
  }
  validateArray(contextExtensions, 'options.contextExtensions');
  contextExtensions.forEach((extension, i) => {
    validateObject(extension, `options.contextExtensions[${i}]`, { nullable: true });
  });
  let result;
  const importerId = importerIdOf(importModuleDynamically, filename, () => result);
  const compiled = native.compileFunction(code, filename, lineOffset, columnOffset, cachedData, produceCachedData,
    parsingContext, contextExtensions, params, importerId);
  result = compiled.function;
  if (produceCachedData) result.cachedDataProduced = compiled.cachedDataProduced;
  if (compiled.cachedData !== undefined) result.cachedData = compiled.cachedData;
  if (cachedData !== undefined) result.cachedDataRejected = compiled.cachedDataRejected;
  return result;
}

function measureMemory(options = kEmptyObject) {
  emitExperimentalWarning('vm.measureMemory');
  validateObject(options, 'options');
  const { mode = 'summary', execution = 'default' } = options;
  validateOneOf(mode, 'options.mode', ['summary', 'detailed']);
  validateOneOf(execution, 'options.execution', ['default', 'eager']);
  const result = native.measureMemory(mode === 'detailed', execution === 'eager');
  if (result === undefined) {
    const { codes: { ERR_CONTEXT_NOT_INITIALIZED } } = require('#internal/errors');
    return Promise.reject(new ERR_CONTEXT_NOT_INITIALIZED());
  }
  return result;
}
Object.defineProperty(measureMemory, 'length', { __proto__: null, value: 0, configurable: true });

const constants = Object.freeze({
  __proto__: null,
  USE_MAIN_CONTEXT_DEFAULT_LOADER,
  DONT_CONTEXTIFY,
});

module.exports = {
  Script,
  createContext,
  createScript,
  runInContext,
  runInNewContext,
  runInThisContext,
  isContext,
  compileFunction,
  measureMemory,
  constants,
};

// Behind a flag, as they are in Node.
if (require('#runtime/options').getOptionValue('--experimental-vm-modules')) {
  Object.assign(module.exports, (({ Module, SourceTextModule, SyntheticModule }) => (
    { Module, SourceTextModule, SyntheticModule }))(require('#vm/modules')));
}

'use strict';
// node:wasi.

const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_WASI_ALREADY_STARTED, ERR_WASI_NOT_STARTED },
} = require('#internal/errors');
const { emitExperimentalWarning, kEmptyObject } = require('#internal/util');
const { validateArray, validateBoolean, validateFunction, validateInt32, validateObject, validateString,
  validateUndefined } = require('#internal/validators');

emitExperimentalWarning('WASI');

const kProgram = Symbol('kProgram');
const kStarted = Symbol('kStarted');
const kBindingName = Symbol('kBindingName');

const kBindingNames = { __proto__: null, preview1: 'wasi_snapshot_preview1', unstable: 'wasi_unstable' };

/** The class of `wasiImport`. */
const Imports = { WASI: class {} }.WASI;

function readOptions(options) {
  validateObject(options, 'options');
  const { version, args, env, preopens, returnOnExit } = options;
  validateString(version, 'options.version');
  if (kBindingNames[version] === undefined) {
    throw new ERR_INVALID_ARG_VALUE('options.version', version, 'unsupported WASI version');
  }
  if (args !== undefined) validateArray(args, 'options.args');
  if (env !== undefined) validateObject(env, 'options.env');
  if (preopens !== undefined) validateObject(preopens, 'options.preopens');
  const stdio = ['stdin', 'stdout', 'stderr'].map((name, i) => {
    const fd = options[name] ?? i;
    validateInt32(fd, `options.${name}`, 0);
    return fd;
  });
  if (returnOnExit !== undefined) validateBoolean(returnOnExit, 'options.returnOnExit');
  return {
    version,
    args: (args ?? []).map(String),
    env: Object.entries(env ?? {}).filter(([, value]) => value !== undefined).map(([key, value]) => `${key}=${value}`),
    preopens: Object.entries(preopens ?? {}).map(([name, place]) => [`${name}`, `${place}`]),
    stdio,
    returnOnExit: returnOnExit ?? true,
  };
}

function openDescriptors(stdio, preopens) {
  const { Descriptors } = require('#wasi/descriptors');
  try {
    return new Descriptors(stdio, preopens);
  } catch (error) {
    const failure = new Error('uvwasi_init');
    failure.code = `UVWASI_${error.code}`;
    throw failure;
  }
}

class WASI {
  constructor(options = kEmptyObject) {
    const { version, args, env, preopens, stdio, returnOnExit } = readOptions(options);
    const { Program, calls } = require('#wasi/calls');
    const exit = (code) => {
      if (!returnOnExit) process.reallyExit(code);
      throw new Exit(code, this[kProgram]);
    };
    const program = new Program({ args, env, descriptors: openDescriptors(stdio, preopens), exit });
    this.wasiImport = new Imports();
    for (const name of Object.keys(calls).sort()) {
      this.wasiImport[name] = { [name](...given) {
        if (program.memory === undefined) throw new ERR_WASI_NOT_STARTED();
        return calls[name](program, ...given);
      } }[name];
    }
    hide(this, kProgram, program);
    hide(this, kBindingName, kBindingNames[version]);
    hide(this, kStarted, false);
  }

  finalizeBindings(instance, { memory = instance?.exports?.memory } = {}) {
    if (this[kStarted]) throw new ERR_WASI_ALREADY_STARTED();
    validateObject(instance, 'instance');
    validateObject(instance.exports, 'instance.exports');
    if (!(memory instanceof WebAssembly.Memory) && !isForeignMemory(memory)) {
      const error = new ERR_INVALID_ARG_TYPE('instance.exports.memory', 'WebAssembly.Memory', memory);
      error.message = '"instance.exports.memory" property must be a WebAssembly.Memory object';
      throw error;
    }
    this[kStarted] = true;
    this[kProgram].memory = memory;
  }

  start(instance) {
    this.finalizeBindings(instance);
    const { _start, _initialize } = instance.exports;
    validateFunction(_start, 'instance.exports._start');
    validateUndefined(_initialize, 'instance.exports._initialize');
    try {
      _start();
      return 0;
    } catch (error) {
      if (error instanceof Exit && error.program === this[kProgram]) return error.code;
      throw error;
    }
  }

  initialize(instance) {
    this.finalizeBindings(instance);
    const { _start, _initialize } = instance.exports;
    validateUndefined(_start, 'instance.exports._start');
    if (_initialize === undefined) return;
    validateFunction(_initialize, 'instance.exports._initialize');
    _initialize();
  }

  getImportObject() {
    return { [this[kBindingName]]: this.wasiImport };
  }
}

/** Leaves the program by way of its frames. */
class Exit {
  constructor(code, program) {
    this.code = code;
    this.program = program;
  }
}

function hide(target, key, value) {
  Object.defineProperty(target, key, { __proto__: null, value, writable: true, enumerable: false });
}

/** A Memory of another context. */
function isForeignMemory(value) {
  return Object.prototype.toString.call(value) === '[object WebAssembly.Memory]';
}

module.exports = { WASI };

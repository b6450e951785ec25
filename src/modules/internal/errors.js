'use strict';

// The one list of error codes, and the constructors of every error that the core throws. The JavaScript
// halves take `const { codes: { ERR_X } } = require('#internal/errors')`; the native throwers look the code
// up here too.
//
// An error from `codes` is an instance of its base class with an own enumerable `code`, no own `name`, and a
// stack that begins with `TypeError [ERR_X]: text`. The bracket is put there by prepareStackTraceCallback(),
// which the engine calls when a stack is first read (Isolate::SetPrepareStackTraceCallback).

const { fillTemplate, formatList, determineSpecificType, inspectValue } = require('#internal/error_text');
const { systemErrorEntry } = require('#internal/errno');

const kIsNodeError = Symbol('kIsNodeError');

const hidden = (value) => ({ __proto__: null, value, writable: true, enumerable: false, configurable: true });

function toStringWithCode() {
  return `${this.name} [${this.code}]: ${this.message}`;
}

// --- the codes ---

// A constructor is made when its code is first asked for, and learns what it makes from the tables when the first error is
// made: no start needs three hundred classes and their wording.

/**
 * @typedef {object} Definition
 * @property {Function} Base
 * @property {string | Function} message template, builder, or the text before a system error's details
 * @property {Function[]} [others] classes that the code comes in besides, reachable as codes[code][Other.name]
 * @property {boolean} [isNative] made as the native side of Node.js makes it: no code in its stack
 */

/** @returns {Definition} */
function definitionOf(code) {
  const { templates, nativeTemplates } = require('#internal/error_templates');
  const { builders, systemBuilders } = require('#internal/error_builders');
  if (code in systemBuilders) return { Base: SystemError, message: systemBuilders[code] };
  if (code in nativeTemplates) {
    const [Base, message] = nativeTemplates[code];
    return { Base, message, isNative: true };
  }
  const entry = builders[code] ?? templates[code];
  if (entry === undefined) throw new Error(`${code} is not in the list of error codes`);
  const [Base, message, ...others] = entry;
  return { Base, message, others };
}

/** What errors of one base class that carry a code inherit from, instead of the base class's own prototype. */
const prototypes = new Map();
function prototypeFor(Base) {
  let prototype = prototypes.get(Base);
  if (prototype === undefined) {
    prototype = Object.create(Base.prototype, {
      constructor: hidden(Base),
      toString: hidden(toStringWithCode),
      [kIsNodeError]: hidden(true),
    });
    prototypes.set(Base, prototype);
  }
  return prototype;
}

/**
 * How the errors of `code` are made; their stacks begin at the caller of `constructor`.
 * @returns {(args: unknown[]) => Error}
 */
function makerOf(code, { Base, message, isNative }, constructor) {
  if (isNative) {
    return ([text = message]) => {
      const error = captureFrom(new Base(text), constructor);
      error.code = code;
      return error;
    };
  }
  constructor.prototype = prototypeFor(Base);
  if (Base === SystemError) return ([context]) => Reflect.construct(SystemError, [code, context, message], constructor);
  if (typeof message === 'function') {
    return (args) => {
      const error = Reflect.construct(Base, [], constructor);
      error.code = code;
      Object.defineProperty(error, 'message', hidden(Reflect.apply(message, error, args)));
      return error;
    };
  }
  return (args) => {
    const error = Reflect.construct(Base, [fillTemplate(message, args)], constructor);
    error.code = code;
    return error;
  };
}

/** @param {string} code @param {Function} [Base] one of the code's other classes */
function makeConstructor(code, Base = undefined) {
  let make;
  function NodeError(...args) {
    if (make === undefined) {
      const definition = definitionOf(code);
      if (Base !== undefined) definition.Base = Base;
      make = makerOf(code, definition, NodeError);
    }
    return make(args);
  }
  return Object.setPrototypeOf(NodeError, constructorPrototype);
}

/** @type {Record<string, new (...args: unknown[]) => Error>} */
const constructors = { __proto__: null };

/** The constructor of the same code over another class: `new codes.ERR_X.RangeError()`. */
function variantOf(constructor, Base) {
  for (const code in constructors) {
    if (constructors[code] !== constructor) continue;
    if (!definitionOf(code).others?.includes(Base)) return undefined;
    const variant = makeConstructor(code, Base);
    Object.defineProperty(constructor, Base.name, hidden(variant));
    return variant;
  }
  return undefined;
}

const constructorPrototype = Object.create(Function.prototype, Object.fromEntries(
  [Error, RangeError, TypeError].map((Base) => [Base.name, {
    __proto__: null, configurable: true, get() { return variantOf(this, Base); },
  }])));

/** @type {Record<string, new (...args: unknown[]) => Error>} */
const codes = new Proxy(constructors, {
  __proto__: null,
  get(made, code) {
    if (typeof code !== 'string' || !code.startsWith('ERR_')) return undefined;
    made[code] ??= makeConstructor(code);
    return made[code];
  },
});

function systemErrorText(prefix, context) {
  let text = `${prefix}: ${context.syscall} returned ${context.code} (${context.message})`;
  if (context.path !== undefined) text += ` ${context.path}`;
  if (context.dest !== undefined) text += ` => ${context.dest}`;
  return text;
}

/** Properties of a SystemError that read and write its `info`. */
const infoAccessors = Object.fromEntries(['errno', 'syscall', 'path', 'dest'].map((key) => {
  const isText = key === 'path' || key === 'dest';
  return [key, {
    __proto__: null,
    get() { return isText ? this.info[key]?.toString() : this.info[key]; },
    set(value) { this.info[key] = isText && value ? Buffer.from(value.toString()) : value; },
    enumerable: true,
    configurable: true,
  }];
}));

/** An operation of ours failed because a system call did; `context` tells which, and how. */
class SystemError extends Error {
  constructor(code, context, prefix) {
    super();
    this.code = code;
    Object.defineProperties(this, {
      name: hidden('SystemError'),
      message: hidden(systemErrorText(prefix, context)),
      info: { __proto__: null, value: context, enumerable: true, configurable: true, writable: false },
      errno: infoAccessors.errno,
      syscall: infoAccessors.syscall,
    });
    if (context.path !== undefined) Object.defineProperty(this, 'path', infoAccessors.path);
    if (context.dest !== undefined) Object.defineProperty(this, 'dest', infoAccessors.dest);
  }

  toString() {
    return toStringWithCode.call(this);
  }
}
Object.defineProperty(SystemError.prototype, kIsNodeError, hidden(true));

// --- errors of system calls ---

/** Leaves the frames of `caller` and above out of the error's stack. */
function captureFrom(error, caller) {
  if (Error.stackTraceLimit) Error.captureStackTrace(error, caller);
  return error;
}

/**
 * `ENOENT: no such file or directory, open '/x' -> '/y'`; context is { errno, syscall, path, dest, message }.
 */
function UVException(context) {
  const [code, text] = systemErrorEntry(context.errno);
  let message = `${code}: ${context.message || text}, ${context.syscall}`;
  const path = context.path ? context.path.toString() : undefined;
  const dest = context.dest ? context.dest.toString() : undefined;
  if (path !== undefined) message += ` '${path}'`;
  if (dest !== undefined) message += ` -> '${dest}'`;
  const error = captureFrom(new Error(message), UVException);
  for (const key of Object.keys(context)) {
    if (key !== 'message' && key !== 'path' && key !== 'dest') error[key] = context[key];
  }
  error.code = code;
  if (path !== undefined) error.path = path;
  if (dest !== undefined) error.dest = dest;
  return error;
}

/** `open ENOENT detail`. @param {number} errno negative */
function ErrnoException(errno, syscall, original = undefined) {
  const [code] = systemErrorEntry(errno);
  const error = captureFrom(new Error(`${syscall} ${code}${original ? ` ${original}` : ''}`), ErrnoException);
  error.errno = errno;
  error.code = code;
  error.syscall = syscall;
  return error;
}

function hostDetails(address, port) {
  if (port && port > 0) return ` ${address}:${port}`;
  return address ? ` ${address}` : '';
}

/** `connect ECONNREFUSED 127.0.0.1:80 - Local (...)`. */
function ExceptionWithHostPort(errno, syscall, address, port, additional = undefined) {
  const [code] = systemErrorEntry(errno);
  const details = hostDetails(address, port) + (additional ? ` - Local (${additional})` : '');
  const error = captureFrom(new Error(`${syscall} ${code}${details}`), ExceptionWithHostPort);
  error.errno = errno;
  error.code = code;
  error.syscall = syscall;
  error.address = address;
  if (port) error.port = port;
  return error;
}

/** `listen EADDRINUSE: address already in use 127.0.0.1:80`. */
function UVExceptionWithHostPort(errno, syscall, address, port) {
  const [code, text] = systemErrorEntry(errno);
  const message = `${syscall} ${code}: ${text}${hostDetails(address, port)}`;
  const error = captureFrom(new Error(message), UVExceptionWithHostPort);
  error.code = code;
  error.errno = errno;
  error.syscall = syscall;
  error.address = address;
  if (port) error.port = port;
  return error;
}

const kEaiNoData = -3007;
const kEaiNoName = -3008;

/** @param {number | string} code an EAI_ number or a resolver's code name */
function DNSException(code, syscall, hostname = undefined) {
  let errno;
  if (typeof code === 'number') {
    errno = code;
    code = code === kEaiNoData || code === kEaiNoName ? 'ENOTFOUND' : systemErrorEntry(code)[0];
  }
  const message = `${syscall} ${code}${hostname ? ` ${hostname}` : ''}`;
  const error = captureFrom(new Error(message), DNSException);
  error.errno = errno;
  error.code = code;
  error.syscall = syscall;
  if (hostname) error.hostname = hostname;
  return error;
}

/** The peer reset or closed the connection. */
function ConnResetException(message) {
  const error = captureFrom(new Error(message), ConnResetException);
  error.code = 'ECONNRESET';
  return error;
}

/** An Error with further own properties. */
function genericNodeError(message, properties) {
  return Object.assign(captureFrom(new Error(message), genericNodeError), properties);
}

/** What an aborted operation rejects with; `options.cause` is the signal's reason. */
class AbortError extends Error {
  constructor(message = 'The operation was aborted', options = undefined) {
    if (options !== undefined && typeof options !== 'object') {
      throw new codes.ERR_INVALID_ARG_TYPE('options', 'Object', options);
    }
    super(message, options);
    this.code = 'ABORT_ERR';
    this.name = 'AbortError';
  }
}

/** AggregateError whose stack shows the code of the first error. */
class NodeAggregateError extends AggregateError {
  constructor(errors, message) {
    super(errors, message);
    this.code = errors[0]?.code;
  }
}
Object.defineProperties(NodeAggregateError.prototype, {
  constructor: hidden(AggregateError),
  [kIsNodeError]: hidden(true),
});

/** One error out of an operation's own and that of its clean-up. */
function aggregateTwoErrors(innerError, outerError) {
  if (!innerError || !outerError || innerError === outerError) return innerError || outerError;
  if (Array.isArray(outerError.errors)) {
    outerError.errors.push(innerError);
    return outerError;
  }
  const error = captureFrom(new AggregateError([outerError, innerError], outerError.message), aggregateTwoErrors);
  error.code = outerError.code;
  return error;
}

// --- stacks ---

/** Wraps a function that throws so that the stack begins at the wrapper's caller. */
function hideStackFrames(fn) {
  function wrappedFn(...args) {
    try {
      return Reflect.apply(fn, this, args);
    } catch (error) {
      if (Error.stackTraceLimit && isErrorLike(error)) Error.captureStackTrace(error, wrappedFn);
      throw error;
    }
  }
  wrappedFn.withoutStackTrace = fn;
  return wrappedFn;
}

/** For internal callers that want the call sites of one error: error -> (error, sites) => value. */
const overrideStackTrace = new WeakMap();

function errorHeader(error) {
  if (kIsNodeError in error) return `${error.name} [${error.code}]: ${error.message}`;
  return Error.prototype.toString.call(error);
}

function defaultPrepareStackTrace(error, trace) {
  let header;
  try {
    header = errorHeader(error);
  } catch (cause) {
    try {
      header = `<error: ${cause}>`;
    } catch {
      header = '<error>';
    }
  }
  return trace.length === 0 ? header : `${header}\n    at ${trace.join('\n    at ')}`;
}

// What Error.prepareStackTrace is before a program replaces it.
function ErrorPrepareStackTrace(error, trace) {
  return defaultPrepareStackTrace(error, trace);
}
Object.defineProperty(Error, 'prepareStackTrace', hidden(ErrorPrepareStackTrace));

let sourceMapper;
/**
 * @param {(error: Error, trace: object[], fallback: Function) => string} mapper used while source maps are on
 */
function setSourceMapper(mapper) {
  sourceMapper = mapper;
}

/**
 * What the engine calls when a stack is first read. A function that the program put at
 * Error.prepareStackTrace of the error's realm is called as V8 alone would call it.
 */
function prepareStackTraceCallback(realmGlobal, error, trace) {
  const override = overrideStackTrace.get(error);
  if (override !== undefined) {
    overrideStackTrace.delete(error);
    return override(error, trace);
  }
  const user = realmGlobal.Error?.prepareStackTrace;
  if (typeof user === 'function' && user !== ErrorPrepareStackTrace) {
    return Reflect.apply(user, realmGlobal.Error, [error, trace]);
  }
  if (sourceMapper !== undefined) return sourceMapper(error, trace, defaultPrepareStackTrace);
  return defaultPrepareStackTrace(error, trace);
}

/**
 * Throws `new ErrorClass(...args)` with a stack that begins at the caller of `fn`. Captures once, where
 * making the error first and captureStackTrace() afterwards would do it twice.
 */
function throwFrom(fn, ErrorClass, ...args) {
  const limit = Error.stackTraceLimit;
  const isWritable = isErrorStackTraceLimitWritable();
  if (isWritable) Error.stackTraceLimit = 0;
  let error;
  try {
    error = new ErrorClass(...args);
  } finally {
    if (isWritable) Error.stackTraceLimit = limit;
  }
  if (limit) Error.captureStackTrace(error, fn);
  throw error;
}

function isErrorStackTraceLimitWritable() {
  const descriptor = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit');
  if (descriptor === undefined) return Object.isExtensible(Error);
  return Object.hasOwn(descriptor, 'writable') ? descriptor.writable : descriptor.set !== undefined;
}

let stackOverflow;
/** Whether the error is V8's report of a stack overflow. */
function isStackOverflowError(error) {
  if (stackOverflow === undefined) {
    try {
      (function overflow() { overflow(); })();
    } catch (thrown) {
      stackOverflow = { name: thrown.name, message: thrown.message };
    }
  }
  return Boolean(error) && error.name === stackOverflow.name && error.message === stackOverflow.message;
}

function isErrorLike(value) {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'stack');
}

/** The message alone, without making the error. */
function getMessage(code, args, self = {}) {
  const { message } = definitionOf(code);
  return typeof message === 'function' ? Reflect.apply(message, self, args) : fillTemplate(message, args);
}

module.exports = {
  AbortError,
  ConnResetException,
  DNSException,
  ErrnoException,
  ExceptionWithHostPort,
  NodeAggregateError,
  SystemError,
  UVException,
  UVExceptionWithHostPort,
  aggregateTwoErrors,
  codes,
  connResetException: ConnResetException,
  defaultPrepareStackTrace,
  determineSpecificType,
  dnsException: DNSException,
  errnoException: ErrnoException,
  exceptionWithHostPort: ExceptionWithHostPort,
  formatList,
  genericNodeError,
  getMessage,
  hideStackFrames,
  inspectWithNoCustomRetry: inspectValue,
  isErrorLike,
  isErrorStackTraceLimitWritable,
  isStackOverflowError,
  kIsNodeError,
  overrideStackTrace,
  prepareStackTrace: ErrorPrepareStackTrace,
  prepareStackTraceCallback,
  setSourceMapper,
  throwFrom,
  uvErrmapGet: systemErrorEntry,
  uvException: UVException,
  uvExceptionWithHostPort: UVExceptionWithHostPort,
};

'use strict';

// class Console: text to two streams. Its methods are bound to each instance, so that they can be passed
// around.

const tracing = require('#trace_events/tracing');
const {
  codes: { ERR_CONSOLE_WRITABLE_STREAM, ERR_INCOMPATIBLE_OPTION_PAIR },
  isStackOverflowError,
} = require('#internal/errors');
const { validateArray, validateInteger, validateObject, validateOneOf } = require('#internal/validators');
const { formatArguments, inspect } = require('#util/inspect');
const { shouldColorize } = require('#internal/colors');

const kBindStreamsEager = Symbol('kBindStreamsEager');
const kBindStreamsLazy = Symbol('kBindStreamsLazy');
const kBindProperties = Symbol('kBindProperties');
const kWriteToConsole = Symbol('kWriteToConsole');
const kGetInspectOptions = Symbol('kGetInspectOptions');
const kFormatForStdout = Symbol('kFormatForStdout');
const kFormatForStderr = Symbol('kFormatForStderr');
const kCounts = Symbol('counts');
const kColorMode = Symbol('kColorMode');
const kIsConsole = Symbol('kIsConsole');
const kGroupIndentWidth = Symbol('kGroupIndentWidth');
const kGroupIndentation = Symbol('kGroupIndentationString');

const kMaxGroupIndentation = 1000;
const kColored = Object.freeze({ colors: true });
const kPlain = Object.freeze({});

/** The inspectOptions of the consoles that have any. */
const inspectOptionsOf = new WeakMap();

const hidden = (value) => ({ __proto__: null, writable: true, enumerable: false, configurable: true, value });

function checkOptions(options) {
  const { stdout, stderr = stdout, ignoreErrors = true, colorMode = 'auto' } = options;
  const { inspectOptions, groupIndentation } = options;
  if (!stdout || typeof stdout.write !== 'function') throw new ERR_CONSOLE_WRITABLE_STREAM('stdout');
  if (!stderr || typeof stderr.write !== 'function') throw new ERR_CONSOLE_WRITABLE_STREAM('stderr');
  validateOneOf(colorMode, 'colorMode', ['auto', true, false]);
  if (groupIndentation !== undefined) {
    validateInteger(groupIndentation, 'groupIndentation', 0, kMaxGroupIndentation);
  }
  if (inspectOptions !== undefined) {
    validateObject(inspectOptions, 'options.inspectOptions');
    const all = inspectOptions instanceof Map ? [...inspectOptions.values()] : [inspectOptions];
    for (const each of all) {
      if (each.colors !== undefined && options.colorMode !== undefined) {
        throw new ERR_INCOMPATIBLE_OPTION_PAIR('options.inspectOptions.color', 'colorMode');
      }
    }
  }
  return { stdout, stderr, ignoreErrors, colorMode, inspectOptions, groupIndentation };
}

/** Takes (stdout, stderr, ignoreErrors) or one object of options. */
function Console(options) {
  if (!new.target) return Reflect.construct(Console, arguments);
  if (!options || typeof options.write === 'function') {
    options = { stdout: options, stderr: arguments[1], ignoreErrors: arguments[2] };
  }
  const { stdout, stderr, ignoreErrors, colorMode, inspectOptions, groupIndentation } = checkOptions(options);
  if (inspectOptions !== undefined) inspectOptionsOf.set(this, inspectOptions);
  for (const key of Object.keys(Console.prototype)) {
    // From the instance: a subclass may have overridden it.
    this[key] = this[key].bind(this);
    Object.defineProperty(this[key], 'name', { __proto__: null, value: key });
  }
  this[kBindStreamsEager](stdout, stderr);
  this[kBindProperties](ignoreErrors, colorMode, groupIndentation);
}

function noop() {}

/** For the callback of a write: its error is emitted as well, and must not end the process. */
function createWriteErrorHandler(stream) {
  return (error) => {
    if (error != null && !stream._writableState?.errorEmitted && stream.listenerCount('error') === 0) {
      stream.once('error', noop);
    }
  };
}

Object.defineProperty(Console, Symbol.hasInstance, {
  __proto__: null,
  value(instance) {
    return instance !== null && instance !== undefined && instance[kIsConsole] === true;
  },
});

function timeUnit(milliseconds) {
  const pad = (number) => `${number}`.padStart(2, '0');
  if (milliseconds < 1000) return `${Number(milliseconds.toFixed(3))}ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(3)}s`;
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const { 0: seconds, 1: rest } = ((milliseconds % 60_000) / 1000).toFixed(3).split('.');
  if (hours > 0) return `${hours}:${pad(minutes)}:${pad(seconds)}.${rest} (h:mm:ss.mmm)`;
  return `${minutes}:${pad(seconds)}.${rest} (m:ss.mmm)`;
}

function elapsed(start) {
  const { 0: seconds, 1: nanoseconds } = process.hrtime(start);
  return timeUnit(seconds * 1000 + nanoseconds / 1e6);
}

/** An event of node:trace_events; timers of one label are one asynchronous event. */
function traceConsole(phase, name, args) {
  tracing.trace(phase, 'node,node.console', name, 0, args);
}

function logTime(self, label, method, data) {
  const start = self._times.get(label);
  if (start === undefined) {
    process.emitWarning(`No such label '${label}' for console.${method}()`);
    return false;
  }
  const time = elapsed(start);
  if (data === undefined) self.log('%s: %s', label, time);
  else self.log('%s: %s', label, time, ...data);
  return true;
}

const { isLoaded } = require('#runtime/loader');
const channels = { __proto__: null };

/** Tells the diagnostics channel `console.NAME`, whose listeners may still change the arguments. */
function publish(name, args) {
  if (!isLoaded('diagnostics_channel')) return;
  const channel = channels[name] ??= require('diagnostics_channel').channel(`console.${name}`);
  if (channel.hasSubscribers) channel.publish(args);
}

/** Whether the text needs no options to be formatted. */
const isPlainText = (args) => args.length === 1 && typeof args[0] === 'string';

const methods = {
  log(...args) {
    publish('log', args);
    this[kWriteToConsole](false, isPlainText(args) ? args[0] : this[kFormatForStdout](args));
  },

  info(...args) {
    publish('info', args);
    this[kWriteToConsole](false, isPlainText(args) ? args[0] : this[kFormatForStdout](args));
  },

  debug(...args) {
    publish('debug', args);
    this[kWriteToConsole](false, isPlainText(args) ? args[0] : this[kFormatForStdout](args));
  },

  warn(...args) {
    publish('warn', args);
    this[kWriteToConsole](true, isPlainText(args) ? args[0] : this[kFormatForStderr](args));
  },

  error(...args) {
    publish('error', args);
    this[kWriteToConsole](true, isPlainText(args) ? args[0] : this[kFormatForStderr](args));
  },

  dir(object, options) {
    const text = inspect(object, { customInspect: false, ...this[kGetInspectOptions](this._stdout), ...options });
    this[kWriteToConsole](false, text);
  },

  time(label = 'default') {
    label = `${label}`;
    if (this._times.has(label)) {
      process.emitWarning(`Label '${label}' already exists for console.time()`);
      return;
    }
    this._times.set(label, process.hrtime());
    if (tracing.isOn.console) traceConsole(tracing.kBegin, `time::${label}`);
  },

  timeEnd(label = 'default') {
    label = `${label}`;
    if (!logTime(this, label, 'timeEnd')) return;
    this._times.delete(label);
    if (tracing.isOn.console) traceConsole(tracing.kEnd, `time::${label}`);
  },

  timeLog(label = 'default', ...data) {
    label = `${label}`;
    if (logTime(this, label, 'timeLog', data) && tracing.isOn.console) {
      traceConsole(tracing.kInstant, `time::${label}`);
    }
  },

  trace: function trace(...args) {
    const holder = { name: 'Trace', message: this[kFormatForStderr](args) };
    Error.captureStackTrace(holder, trace);
    this.error(holder.stack);
  },

  assert(expression, ...args) {
    if (expression) return;
    if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
    else args.unshift('Assertion failed');
    Reflect.apply(this.warn, this, args);
  },

  clear() {
    if (this._stdout.isTTY && process.env.TERM !== 'dumb') {
      const { cursorTo, clearScreenDown } = require('readline');
      cursorTo(this._stdout, 0, 0);
      clearScreenDown(this._stdout);
    }
  },

  count(label = 'default') {
    label = `${label}`;
    const count = (this[kCounts].get(label) ?? 0) + 1;
    this[kCounts].set(label, count);
    if (tracing.isOn.console) traceConsole(tracing.kCounter, `count::${label}`, { data: count });
    this.log(`${label}: ${count}`);
  },

  countReset(label = 'default') {
    label = `${label}`;
    if (!this[kCounts].has(label)) {
      process.emitWarning(`Count for '${label}' does not exist`);
      return;
    }
    this[kCounts].delete(label);
    if (tracing.isOn.console) traceConsole(tracing.kCounter, `count::${label}`, { data: 0 });
  },

  group(...data) {
    if (data.length > 0) Reflect.apply(this.log, this, data);
    this[kGroupIndentation] += ' '.repeat(this[kGroupIndentWidth]);
  },

  groupEnd() {
    const indentation = this[kGroupIndentation];
    this[kGroupIndentation] = indentation.slice(0, indentation.length - this[kGroupIndentWidth]);
  },

  table(data, properties) {
    if (data === null || typeof data !== 'object') return this.log(data);
    if (properties !== undefined) validateArray(properties, 'properties');
    const show = (value) => {
      const depth = value !== null && typeof value === 'object' && !Array.isArray(value) &&
        Object.keys(value).length > 2 ? -1 : 0;
      return inspect(value, {
        ...this[kGetInspectOptions](this._stdout), maxArrayLength: 3, breakLength: Infinity, depth, colors: false,
      });
    };
    return this.log(require('#console/table').makeTable(data, properties, show));
  },
};

const internals = {
  [kBindStreamsEager](stdout, stderr) {
    Object.defineProperties(this, { _stdout: hidden(stdout), _stderr: hidden(stderr) });
  },

  // The global console must not make process.stdout before someone writes to it.
  [kBindStreamsLazy](source) {
    for (const name of ['stdout', 'stderr']) {
      let stream;
      Object.defineProperty(this, `_${name}`, {
        __proto__: null,
        enumerable: false,
        configurable: true,
        get() { return stream ??= source[name]; },
        set(value) { stream = value; },
      });
    }
  },

  [kBindProperties](ignoreErrors, colorMode, groupIndentation = 2) {
    let stdoutHandler;
    let stderrHandler;
    const console = this;
    Object.defineProperties(this, {
      _stdoutErrorHandler: hidden((error) => (stdoutHandler ??= createWriteErrorHandler(console._stdout))(error)),
      _stderrErrorHandler: hidden((error) => (stderrHandler ??= createWriteErrorHandler(console._stderr))(error)),
      _ignoreErrors: hidden(Boolean(ignoreErrors)),
      _times: hidden(new Map()),
      [kCounts]: hidden(new Map()),
      [kColorMode]: hidden(colorMode),
      [kIsConsole]: hidden(true),
      [kGroupIndentWidth]: hidden(groupIndentation),
      [kGroupIndentation]: hidden(''),
      [Symbol.toStringTag]: {
        __proto__: null, writable: false, enumerable: false, configurable: true, value: 'console',
      },
    });
  },

  [kWriteToConsole](isError, text) {
    const indentation = this[kGroupIndentation];
    const stream = isError ? this._stderr : this._stdout;
    if (indentation.length !== 0) {
      if (text.includes('\n')) text = text.replaceAll('\n', `\n${indentation}`);
      text = indentation + text;
    }
    text += '\n';
    if (this._ignoreErrors === false) return stream.write(text);
    const onError = isError ? this._stderrErrorHandler : this._stdoutErrorHandler;
    // Standard streams tell of errors through the callback, before they emit them.
    if (stream._isStdio) return stream.write(text, onError);
    if (stream.listenerCount('error') > 0) return stream.write(text, onError);
    stream.once('error', noop);
    try {
      return stream.write(text, onError);
    } catch (error) {
      if (isStackOverflowError(error)) throw error;
      return undefined;
    } finally {
      stream.removeListener('error', noop);
    }
  },

  [kGetInspectOptions](stream) {
    const mode = this[kColorMode];
    const colors = mode === 'auto' ? shouldColorize(stream) : mode;
    let options = inspectOptionsOf.get(this);
    if (options instanceof Map) options = options.get(stream);
    if (options !== undefined) return options.colors === undefined ? { ...options, colors } : options;
    return colors ? kColored : kPlain;
  },

  [kFormatForStdout](args) {
    if (args.length === 1 && typeof args[0] === 'string') return args[0];
    return formatArguments(this[kGetInspectOptions](this._stdout), args);
  },

  [kFormatForStderr](args) {
    if (args.length === 1 && typeof args[0] === 'string') return args[0];
    return formatArguments(this[kGetInspectOptions](this._stderr), args);
  },
};

for (const key of Object.keys(methods)) Console.prototype[key] = methods[key];
Console.prototype.dirxml = Console.prototype.log;
Console.prototype.groupCollapsed = Console.prototype.group;
for (const key of Object.getOwnPropertySymbols(internals)) {
  Object.defineProperty(Console.prototype, key, hidden(internals[key]));
}

module.exports = { Console, kBindProperties, kBindStreamsLazy, methodsOf: () => Object.keys(Console.prototype) };

'use strict';

// util.inspect() and what hangs on it. Start reading at inspect_value.js.

const { customInspectSymbol } = require('#internal/util');
const { validateObject, validateString } = require('#internal/validators');
const { kBuiltIns } = require('#util/inspect_names');
const { formatValue, setInspect } = require('#util/inspect_value');
const { formatPrimitive } = require('#util/inspect_primitive');
const { getStringWidth, stripAnsi } = require('#util/inspect_width');
const { colors, quote, styles, stylizeNoColor, stylizeWithColor } = require('#util/inspect_text');

const { getProxyDetails } = binding('util');

const defaultOptions = Object.seal({
  showHidden: false,
  depth: 2,
  colors: false,
  customInspect: true,
  showProxy: false,
  maxArrayLength: 100,
  maxStringLength: 10000,
  breakLength: 80,
  compact: 3,
  sorted: false,
  getters: false,
  numericSeparator: false,
});

/** The state of one call of inspect(). */
class Context {
  constructor() {
    this.budget = {};
    this.indentationLvl = 0;
    this.seen = [];
    this.currentDepth = 0;
    this.circular = undefined;
    this.userOptions = undefined;
    this.stylize = stylizeNoColor;
    this.showHidden = defaultOptions.showHidden;
    this.depth = defaultOptions.depth;
    this.colors = defaultOptions.colors;
    this.customInspect = defaultOptions.customInspect;
    this.showProxy = defaultOptions.showProxy;
    this.maxArrayLength = defaultOptions.maxArrayLength;
    this.maxStringLength = defaultOptions.maxStringLength;
    this.breakLength = defaultOptions.breakLength;
    this.compact = defaultOptions.compact;
    this.sorted = defaultOptions.sorted;
    this.getters = defaultOptions.getters;
    this.numericSeparator = defaultOptions.numericSeparator;
  }

  setOptions(options) {
    for (const key of Object.keys(options)) {
      if (Object.hasOwn(defaultOptions, key) || key === 'stylize') this[key] = options[key];
      else if (this.userOptions === undefined) this.userOptions = options;
    }
  }

  finish() {
    if (this.colors) this.stylize = stylizeWithColor;
    if (this.maxArrayLength === null) this.maxArrayLength = Infinity;
    if (this.maxStringLength === null) this.maxStringLength = Infinity;
    return this;
  }
}

/**
 * @param {unknown} value
 * @param {object | boolean} [options] options, or showHidden
 * Legacy: inspect(value, showHidden, depth, colors).
 */
function inspect(value, options) {
  const ctx = new Context();
  if (arguments.length > 1) {
    if (arguments.length > 2) {
      if (arguments[2] !== undefined) ctx.depth = arguments[2];
      if (arguments.length > 3 && arguments[3] !== undefined) ctx.colors = arguments[3];
    }
    if (typeof options === 'boolean') ctx.showHidden = options;
    else if (options) ctx.setOptions(options);
  }
  return formatValue(ctx.finish(), value, 0);
}

setInspect(inspect);
inspect.custom = customInspectSymbol;
Object.defineProperty(inspect, 'defaultOptions', {
  __proto__: null,
  get() { return defaultOptions; },
  set(options) {
    validateObject(options, 'options');
    Object.assign(defaultOptions, options);
  },
});
inspect.colors = colors;
inspect.styles = styles;

// --- format ---

let firstErrorLine;

const kStringOptions = { depth: 0, colors: false, compact: 3 };

/** Whether a class of the user's, and not the engine, says what the value's string is. */
function hasUserToString(value) {
  // A proxy's traps must not run.
  if (getProxyDetails(value) !== undefined) return false;
  if (Object.hasOwn(value, Symbol.toPrimitive)) return true;
  if (typeof value.toString !== 'function') return false;
  if (Object.hasOwn(value, 'toString')) return true;
  let pointer = value;
  do {
    pointer = Object.getPrototypeOf(pointer);
    if (pointer === null) return false;
  } while (!Object.hasOwn(pointer, 'toString') && !Object.hasOwn(pointer, Symbol.toPrimitive));
  const descriptor = Object.getOwnPropertyDescriptor(pointer, 'constructor');
  return descriptor !== undefined && typeof descriptor.value === 'function' &&
    !kBuiltIns.has(descriptor.value.name);
}

function formatNumberArgument(value, separator) {
  if (separator) return formatPrimitive(stylizeNoColor, value, { numericSeparator: true });
  return value === 0 && Object.is(value, -0) ? '-0' : `${value}`;
}

function formatBigIntArgument(value, separator) {
  return separator ? formatPrimitive(stylizeNoColor, value, { numericSeparator: true }) : `${value}n`;
}

function formatAsString(argument, options) {
  switch (typeof argument) {
    case 'string': return argument;
    case 'number': return formatNumberArgument(argument, options.numericSeparator ?? defaultOptions.numericSeparator);
    case 'bigint': return formatBigIntArgument(argument, options.numericSeparator ?? defaultOptions.numericSeparator);
    case 'object':
      if (argument !== null && hasUserToString(argument)) return String(argument);
      return inspect(argument, { ...options, ...kStringOptions });
    default: return String(argument);
  }
}

function formatAsInteger(argument, options) {
  const separator = options.numericSeparator ?? defaultOptions.numericSeparator;
  if (typeof argument === 'bigint') return formatBigIntArgument(argument, separator);
  if (typeof argument === 'symbol') return formatNumberArgument(NaN, separator);
  return formatNumberArgument(Number.parseInt(argument), separator);
}

function formatAsNumber(argument, options) {
  const separator = options.numericSeparator ?? defaultOptions.numericSeparator;
  if (typeof argument === 'bigint') return formatBigIntArgument(argument, separator);
  if (typeof argument === 'symbol') return formatNumberArgument(NaN, separator);
  return formatNumberArgument(Number(argument), separator);
}

function formatAsFloat(argument, options) {
  const separator = options.numericSeparator ?? defaultOptions.numericSeparator;
  if (typeof argument === 'symbol') return formatNumberArgument(NaN, separator);
  return formatNumberArgument(Number.parseFloat(argument), separator);
}

function formatAsJson(argument) {
  try {
    return `${JSON.stringify(argument)}`;
  } catch (error) {
    if (firstErrorLine === undefined) {
      try {
        const circular = {};
        circular.circular = circular;
        JSON.stringify(circular);
      } catch (circularError) {
        firstErrorLine = circularError.message.split('\n', 1)[0];
      }
    }
    if (error.name === 'TypeError' && error.message.split('\n', 1)[0] === firstErrorLine) return '[Circular]';
    throw error;
  }
}

/** What one `%x` becomes; undefined if the letter means nothing; '' for %c, whose argument is dropped. */
function formatDirective(letter, argument, options) {
  switch (letter) {
    case 115:  // s
      return typeof argument === 'string' ? argument : formatAsString(argument, options);
    case 106: return formatAsJson(argument);  // j
    case 100: return formatAsNumber(argument, options);  // d
    case 79: return inspect(argument, options);  // O
    case 111:  // o
      return inspect(argument, { ...options, showHidden: true, showProxy: true, depth: 4 });
    case 105: return formatAsInteger(argument, options);  // i
    case 102: return formatAsFloat(argument, options);  // f
    case 99: return '';  // c
    default: return undefined;
  }
}

/** How many arguments the last call of fillDirectives() took. */
let usedArguments = 0;

/** Fills the directives of args[0]. */
function fillDirectives(options, args) {
  const first = args[0];
  let used = 1;
  let text = '';
  let last = 0;
  for (let i = first.indexOf('%'); i !== -1 && i < first.length - 1; i = first.indexOf('%', i + 1)) {
    const next = first.charCodeAt(++i);
    if (next === 37) {
      text += first.slice(last, i);
      last = i + 1;
      continue;
    }
    if (used === args.length) continue;
    const piece = formatDirective(next, args[used], options);
    if (piece === undefined) continue;
    used++;
    text += last === i - 1 ? piece : first.slice(last, i - 1) + piece;
    last = i + 1;
  }
  usedArguments = used;
  if (last === 0) return first;
  return last < first.length ? text + first.slice(last) : text;
}

const kNoOptions = Object.freeze({ __proto__: null });

function formatArguments(options, args) {
  const first = args[0];
  if (args.length === 1) return typeof first === 'string' ? first : inspect(first, options);
  let text = '';
  let separator = '';
  let at = 0;
  if (typeof first === 'string') {
    if (first.includes('%')) {
      text = fillDirectives(options, args);
      at = usedArguments;
    } else {
      text = first;
      at = 1;
    }
    separator = ' ';
  }
  for (; at < args.length; at++) {
    const value = args[at];
    text += separator;
    text += typeof value === 'string' ? value : inspect(value, options);
    separator = ' ';
  }
  return text;
}

/** util.format() */
function format(...args) {
  return formatArguments(kNoOptions, args);
}

/** util.formatWithOptions() */
function formatWithOptions(inspectOptions, ...args) {
  validateObject(inspectOptions, 'inspectOptions', { allowArray: true });
  return formatArguments(inspectOptions, args);
}

function stripVTControlCharacters(text) {
  validateString(text, 'str');
  return stripAnsi(text);
}

module.exports = {
  defaultOptions,
  format,
  formatArguments,
  formatWithOptions,
  getStringWidth,
  inspect,
  quote,
  stripVTControlCharacters,
};

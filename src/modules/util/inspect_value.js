'use strict';

// The heart of util.inspect(): one value, its properties, and the depth, cycle and size limits around them.
// `ctx` carries the options and the state of one call of inspect().

exports.formatProperty = formatProperty;
exports.formatValue = formatValue;
exports.setInspect = (fn) => {
  inspect = fn;
};

/** util.inspect(), given by inspect.js. */
let inspect;

const {
  constants: { ALL_PROPERTIES, ONLY_ENUMERABLE },
  getConstructorName: getEngineName,
  getOwnNonIndexProperties,
  getProxyDetails,
} = binding('util');
const { customInspectSymbol } = require('#internal/util');
const { isStackOverflowError } = require('#internal/errors');
const { escapeText, quote } = require('#util/inspect_text');
const { getStringWidth } = require('#util/inspect_width');
const { formatNumber, formatPrimitive } = require('#util/inspect_primitive');
const { kArrayExtrasType, kArrayType, kObjectType, reduceToSingleString } = require('#util/inspect_layout');
const { getConstructorName, getPrefix, getTag } = require('#util/inspect_names');
const kinds = require('#util/inspect_types');
const { kindOf } = binding('types');

const kNoKeys = Object.freeze([]);
const kIdentifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
/** Beyond this many characters on one level, nested values are no longer shown. */
const kBudget = 2 ** 27;

/** The options that a custom inspector is given. */
function getUserOptions(ctx, isCrossContext) {
  const options = {
    stylize: ctx.stylize,
    showHidden: ctx.showHidden,
    depth: ctx.depth,
    colors: ctx.colors,
    customInspect: ctx.customInspect,
    showProxy: ctx.showProxy,
    maxArrayLength: ctx.maxArrayLength,
    maxStringLength: ctx.maxStringLength,
    breakLength: ctx.breakLength,
    compact: ctx.compact,
    sorted: ctx.sorted,
    getters: ctx.getters,
    numericSeparator: ctx.numericSeparator,
    ...ctx.userOptions,
  };
  if (!isCrossContext) return options;
  // Objects and functions of ours must not leak into another context.
  Object.setPrototypeOf(options, null);
  for (const key of Object.keys(options)) {
    if ((typeof options[key] === 'object' || typeof options[key] === 'function') && options[key] !== null) {
      delete options[key];
    }
  }
  options.stylize = Object.setPrototypeOf((value, flavour) => {
    let stylized;
    try {
      stylized = `${ctx.stylize(value, flavour)}`;
    } catch {
      // The text stays plain.
    }
    return typeof stylized === 'string' ? stylized : value;
  }, null);
  return options;
}

function callCustomInspect(ctx, value, context, recurseTimes, isProxy) {
  const inspector = value[customInspectSymbol];
  if (typeof inspector !== 'function' || inspector === inspect) return undefined;
  // A prototype is shown as the plain object that it is.
  const descriptor = Object.getOwnPropertyDescriptor(value, 'constructor');
  if (descriptor !== undefined && typeof descriptor.value === 'function' && descriptor.value.prototype === value) {
    return undefined;
  }
  const depth = ctx.depth === null ? null : ctx.depth - recurseTimes;
  const isCrossContext = isProxy || !(context instanceof Object);
  const result = inspector.call(context, depth, getUserOptions(ctx, isCrossContext), inspect);
  if (result === context) return undefined;
  const text = typeof result === 'object' ? formatValue(ctx, result, recurseTimes) : `${result}`;
  return text.replaceAll('\n', `\n${' '.repeat(ctx.indentationLvl)}`);
}

function formatCircular(ctx, value) {
  ctx.circular ??= new Map();
  let index = ctx.circular.get(value);
  if (index === undefined) {
    index = ctx.circular.size + 1;
    ctx.circular.set(value, index);
  }
  return ctx.stylize(`[Circular *${index}]`, 'special');
}

/** @param {boolean} [typedArray] whether the value is the buffer of a typed array that is being shown */
function formatValue(ctx, value, recurseTimes, typedArray = undefined) {
  if (typeof value !== 'object' && typeof value !== 'function') return formatPrimitive(ctx.stylize, value, ctx);
  if (value === null) return ctx.stylize('null', 'null');
  const context = value;
  const proxy = getProxyDetails(value, Boolean(ctx.showProxy));
  if (proxy !== undefined) {
    if (proxy === null || (ctx.showProxy && proxy[0] === null)) return ctx.stylize('<Revoked Proxy>', 'special');
    if (ctx.showProxy) return formatProxy(ctx, proxy, recurseTimes);
    value = proxy;
  }
  if (ctx.customInspect) {
    const text = callCustomInspect(ctx, value, context, recurseTimes, proxy !== undefined);
    if (text !== undefined) return text;
  }
  if (ctx.seen.includes(value)) return formatCircular(ctx, value);
  return formatRaw(ctx, value, recurseTimes, typedArray);
}

function formatProxy(ctx, proxy, recurseTimes) {
  if (recurseTimes > ctx.depth && ctx.depth !== null) return ctx.stylize('Proxy [Array]', 'special');
  recurseTimes += 1;
  ctx.indentationLvl += 2;
  const parts = [formatValue(ctx, proxy[0], recurseTimes), formatValue(ctx, proxy[1], recurseTimes)];
  ctx.indentationLvl -= 2;
  return reduceToSingleString(ctx, parts, '', ['Proxy [', ']'], kArrayExtrasType, recurseTimes);
}

/** Own keys: all with showHidden, else the enumerable ones, symbols included. */
function getKeys(value, showHidden) {
  const symbols = Object.getOwnPropertySymbols(value);
  if (showHidden) {
    const keys = Object.getOwnPropertyNames(value);
    if (symbols.length !== 0) keys.push(...symbols);
    return keys;
  }
  let keys;
  try {
    keys = Object.keys(value);
  } catch {
    // A module namespace with bindings that are not initialised yet.
    keys = Object.getOwnPropertyNames(value);
  }
  for (const symbol of symbols) {
    if (Object.prototype.propertyIsEnumerable.call(value, symbol)) keys.push(symbol);
  }
  return keys;
}

/**
 * A value being formatted. `text` set: that is all of it. Else `base` goes before the braces, `formatter`
 * makes the first entries and `keys` the rest.
 */
class Shape {
  constructor(value, constructor, tag, protoProps) {
    this.value = value;
    this.constructorName = constructor;
    this.tag = tag;
    this.protoProps = protoProps;
    this.keys = undefined;
    this.text = undefined;
    this.base = '';
    this.braces = undefined;
    this.formatter = undefined;
    this.extrasType = kObjectType;
    // Accessors of the prototype that are shown like hidden properties.
    this.inheritedKeys = kNoKeys;
  }

  prefix(fallback, size = '') {
    return getPrefix(this.constructorName, this.tag, fallback, size);
  }

  get isBare() {
    return this.keys.length === 0 && this.protoProps === undefined;
  }
}

function describe(ctx, value, recurseTimes, typedArray) {
  let protoProps;
  if (ctx.showHidden && (recurseTimes <= ctx.depth || ctx.depth === null)) protoProps = [];
  const constructor = getConstructorName(value, ctx, recurseTimes, protoProps);
  if (protoProps !== undefined && protoProps.length === 0) protoProps = undefined;
  const shape = new Shape(value, constructor, getTag(value, ctx), protoProps);
  const kind = kindOf(value);
  // Collections count as such while they can be iterated.
  const isIterable = kind >= kinds.kFirstIterable && kind <= kinds.kLastIterable &&
    (constructor === null || hasIterator(value));
  if (isIterable && kind === kinds.kArray) {
    describeArray(ctx, shape);
  } else if (isIterable) {
    kinds.describeIterable(ctx, shape, getKeys, kind);
  } else {
    shape.keys = getKeys(value, ctx.showHidden);
    shape.braces = ['{', '}'];
    kinds.describeObject(ctx, shape, recurseTimes, typedArray, kind);
  }
  return shape;
}

function hasIterator(value) {
  try {
    return Boolean(value[Symbol.iterator]);
  } catch {
    return false;
  }
}

function describeArray(ctx, shape) {
  const { value } = shape;
  const prefix = shape.constructorName !== 'Array' || shape.tag !== '' ?
    shape.prefix('Array', `(${value.length})`) : '';
  shape.keys = getOwnNonIndexProperties(value, ctx.showHidden ? ALL_PROPERTIES : ONLY_ENUMERABLE);
  shape.braces = [`${prefix}[`, ']'];
  shape.extrasType = kArrayExtrasType;
  shape.formatter = kinds.formatArray;
  if (value.length === 0 && shape.isBare) shape.text = `${shape.braces[0]}]`;
}

function formatRaw(ctx, value, recurseTimes, typedArray) {
  const shape = describe(ctx, value, recurseTimes, typedArray);
  if (shape.text !== undefined) return shape.text;
  if (recurseTimes > ctx.depth && ctx.depth !== null) {
    const name = shape.prefix(shape.constructorName === null ? getEngineName(value) : 'Object').slice(0, -1);
    return ctx.stylize(shape.constructorName === null ? name : `[${name}]`, 'special');
  }
  recurseTimes += 1;
  ctx.seen.push(value);
  ctx.currentDepth = recurseTimes;
  const { indentationLvl } = ctx;
  const { keys, braces, extrasType, inheritedKeys } = shape;
  let output;
  try {
    output = shape.formatter === undefined ? [] : shape.formatter(ctx, value, recurseTimes, shape);
    for (let i = 0; i < inheritedKeys.length; i++) {
      output.push(formatInherited(ctx, value, recurseTimes, inheritedKeys[i]));
    }
    for (let i = 0; i < keys.length; i++) output.push(formatProperty(ctx, value, recurseTimes, keys[i], extrasType));
    if (shape.protoProps !== undefined) output.push(...shape.protoProps);
  } catch (error) {
    if (!isStackOverflowError(error)) throw error;
    ctx.seen.pop();
    ctx.indentationLvl = indentationLvl;
    const name = shape.prefix('Object').slice(0, -1);
    return ctx.stylize(
      `[${name}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`, 'special');
  }
  markReference(ctx, shape);
  ctx.seen.pop();
  if (ctx.sorted) sortOutput(ctx, output, extrasType, keys.length);
  const text = reduceToSingleString(ctx, output, shape.base, braces, extrasType, recurseTimes, value);
  const length = (ctx.budget[ctx.indentationLvl] || 0) + text.length;
  ctx.budget[ctx.indentationLvl] = length;
  if (length > kBudget) ctx.depth = -1;
  return text;
}

/** Numbers the value if something inside it refers back to it. */
function markReference(ctx, shape) {
  const index = ctx.circular?.get(shape.value);
  if (index === undefined) return;
  const reference = ctx.stylize(`<ref *${index}>`, 'special');
  if (ctx.compact !== true) shape.base = shape.base === '' ? reference : `${reference} ${shape.base}`;
  else shape.braces[0] = `${reference} ${shape.braces[0]}`;
}

function sortOutput(ctx, output, extrasType, keyCount) {
  const comparator = ctx.sorted === true ? undefined : ctx.sorted;
  if (extrasType === kObjectType) {
    output.sort(comparator);
  } else if (keyCount > 1) {
    const sorted = output.slice(output.length - keyCount).sort(comparator);
    output.splice(output.length - keyCount, keyCount, ...sorted);
  }
}

function wantsGetter(ctx, descriptor) {
  return ctx.getters === true || (ctx.getters === 'get' && descriptor.set === undefined) ||
    (ctx.getters === 'set' && descriptor.set !== undefined);
}

function formatGetter(ctx, descriptor, recurseTimes, original) {
  const label = descriptor.set !== undefined ? 'Getter/Setter' : 'Getter';
  const special = (text) => ctx.stylize(text, 'special');
  if (!ctx.getters || !wantsGetter(ctx, descriptor)) return special(`[${label}]`);
  try {
    const value = descriptor.get.call(original);
    ctx.indentationLvl += 2;
    let text;
    if (value === null) {
      text = `${special(`[${label}:`)} ${ctx.stylize('null', 'null')}${special(']')}`;
    } else if (typeof value === 'object') {
      text = `${special(`[${label}]`)} ${formatValue(ctx, value, recurseTimes)}`;
    } else if (typeof value === 'function') {
      text = `${special(`[${label}:`)} ${formatValue(ctx, value, recurseTimes)}${special(']')}`;
    } else {
      text = `${special(`[${label}:`)} ${formatPrimitive(ctx.stylize, value, ctx)}${special(']')}`;
    }
    ctx.indentationLvl -= 2;
    return text;
  } catch (error) {
    return `${special(`[${label}:`)} <Inspection threw (${error.message})>${special(']')}`;
  }
}

function formatKey(ctx, key, isEnumerable) {
  if (typeof key === 'symbol') {
    const text = ctx.stylize(escapeText(Symbol.prototype.toString.call(key)), 'symbol');
    return isEnumerable ? text : `[${text}]`;
  }
  if (key === '__proto__') return isEnumerable ? "['__proto__']" : "[['__proto__']]";
  if (!isEnumerable) return `[${kIdentifier.test(key) ? key : quote(key)}]`;
  if (kIdentifier.test(key)) return ctx.stylize(key, 'name');
  return ctx.stylize(quote(key), 'string');
}

function formatInherited(ctx, value, recurseTimes, key) {
  ctx.indentationLvl += 2;
  const label = ctx.stylize(`[${key}]`, 'string');
  let inherited;
  try {
    inherited = value[key];
  } catch {
    // A view of a detached buffer. Node.js leaves the indentation as it is then, and its tests say so.
    inherited = key === 'byteLength' ? 0 : undefined;
    return `${label}: ${formatValue(ctx, inherited, recurseTimes)}`;
  }
  const text = formatValue(ctx, inherited, recurseTimes);
  ctx.indentationLvl -= 2;
  return `${label}: ${text}`;
}

/** `key: value`, or the value alone for an array's element. */
function formatProperty(ctx, value, recurseTimes, key, type, descriptor = undefined, original = value) {
  descriptor ??= Object.getOwnPropertyDescriptor(value, key) ||
    { value: value[key], configurable: true, enumerable: true };
  if (type === kArrayType && typeof descriptor.value === 'number') {
    return formatNumber(ctx.stylize, descriptor.value, ctx.numericSeparator);
  }
  let separator = ' ';
  let text;
  if (descriptor.value !== undefined) {
    const indent = ctx.compact !== true || type !== kObjectType ? 2 : 3;
    ctx.indentationLvl += indent;
    text = formatValue(ctx, descriptor.value, recurseTimes);
    if (indent === 3 && ctx.breakLength < getStringWidth(text, ctx.colors)) {
      separator = `\n${' '.repeat(ctx.indentationLvl)}`;
    }
    ctx.indentationLvl -= indent;
  } else if (descriptor.get !== undefined) {
    text = formatGetter(ctx, descriptor, recurseTimes, original);
  } else if (descriptor.set !== undefined) {
    text = ctx.stylize('[Setter]', 'special');
  } else {
    text = ctx.stylize('undefined', 'undefined');
  }
  if (type === kArrayType) return text;
  return `${formatKey(ctx, key, descriptor.enumerable !== false)}:${separator}${text}`;
}

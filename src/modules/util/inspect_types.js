'use strict';

// What util.inspect() does for each kind of object: how it begins, and which entries it has besides
// properties. A describe function fills in a Shape (see inspect_value.js); a formatter returns entries.

const {
  constants: { kPending, kRejected, ALL_PROPERTIES, ONLY_ENUMERABLE },
  getConstructorName: engineConstructorName,
  getExternalValue,
  getOwnNonIndexProperties,
  getPromiseDetails,
  previewEntries,
} = binding('util');
const types = binding('types');
const {
  kAnyArrayBuffer, kArguments, kArray, kBoxedPrimitive, kDataView, kDate, kError, kExternal, kFunction, kMap,
  kMapIterator, kModuleNamespace, kPromise, kRegExp, kSet, kSetIterator, kTypedArray, kWeakMap, kWeakSet,
} = types.kinds;
const core = require('#util/inspect_value');
const { formatBigInt, formatNumber, formatPrimitive } = require('#util/inspect_primitive');
const { kArrayExtrasType, kArrayType, kObjectType, reduceToSingleString } = require('#util/inspect_layout');
const { stylizeNoColor } = require('#util/inspect_text');
const { formatError } = require('#util/inspect_error');
const { namesTag } = require('#util/inspect_names');

const TypedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);
const getTypedArrayTag = Object.getOwnPropertyDescriptor(TypedArrayPrototype, Symbol.toStringTag).get;
const getTypedArrayLength = Object.getOwnPropertyDescriptor(TypedArrayPrototype, 'length').get;
const getSetSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;
const getMapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get;
const setValues = Set.prototype.values;
const mapEntries = Map.prototype.entries;
const isTypedArray = (value) => getTypedArrayTag.call(value) !== undefined;

const moreItems = (count) => `... ${count} more item${count > 1 ? 's' : ''}`;
const limitOf = (ctx, length) => Math.min(Math.max(0, ctx.maxArrayLength), length);

// --- arrays ---

function formatArray(ctx, value, recurseTimes) {
  const limit = limitOf(ctx, value.length);
  const output = [];
  for (let i = 0; i < limit; i++) {
    if (!Object.hasOwn(value, i)) return formatHoles(ctx, value, recurseTimes, limit, output, i);
    output.push(core.formatProperty(ctx, value, recurseTimes, i, kArrayType));
  }
  if (value.length > limit) output.push(moreItems(value.length - limit));
  return output;
}

/** The rest of an array from its first hole on; a run of holes is one entry. */
function formatHoles(ctx, value, recurseTimes, limit, output, i) {
  const keys = Object.keys(value);
  const hole = (count) => ctx.stylize(`<${count} empty item${count > 1 ? 's' : ''}>`, 'undefined');
  let index = i;
  for (; i < keys.length && output.length < limit; i++) {
    const key = keys[i];
    if (!/^(?:0|[1-9][0-9]*)$/.test(key) || key > 2 ** 32 - 2) break;
    if (`${index}` !== key) {
      output.push(hole(key - index));
      index = Number(key);
      if (output.length === limit) break;
    }
    output.push(core.formatProperty(ctx, value, recurseTimes, key, kArrayType));
    index++;
  }
  const remaining = value.length - index;
  if (output.length !== limit) {
    if (remaining > 0) output.push(hole(remaining));
  } else if (remaining > 0) {
    output.push(moreItems(remaining));
  }
  return output;
}

const kHiddenTypedArrayKeys = ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer'];

function formatTypedArray(ctx, value, recurseTimes, shape) {
  const { elements, size } = shape;
  const limit = limitOf(ctx, size);
  const output = new Array(limit);
  const format = size > 0 && typeof elements[0] === 'number' ? formatNumber : formatBigInt;
  for (let i = 0; i < limit; i++) output[i] = format(ctx.stylize, elements[i], ctx.numericSeparator);
  if (size > limit) output[limit] = moreItems(size - limit);
  if (ctx.showHidden) {
    ctx.indentationLvl += 2;
    for (const key of kHiddenTypedArrayKeys) {
      const text = core.formatValue(ctx, elements[key], recurseTimes, true);
      output.push(`${ctx.stylize(`[${key}]`, 'string')}: ${text}`);
    }
    ctx.indentationLvl -= 2;
  }
  return output;
}

function formatArrayBuffer(ctx, value) {
  let bytes;
  try {
    bytes = new Uint8Array(value);
  } catch {
    return [ctx.stylize('(detached)', 'special')];
  }
  const limit = limitOf(ctx, bytes.length);
  let text = '';
  for (let i = 0; i < limit; i++) text += `${i > 0 ? ' ' : ''}${bytes[i] < 16 ? '0' : ''}${bytes[i].toString(16)}`;
  const remaining = bytes.length - ctx.maxArrayLength;
  if (remaining > 0) text += ` ... ${remaining} more byte${remaining > 1 ? 's' : ''}`;
  return [`${ctx.stylize('[Uint8Contents]', 'special')}: <${text}>`];
}

// --- collections ---

function formatSet(ctx, value, recurseTimes, shape) {
  const limit = limitOf(ctx, shape.size);
  const output = [];
  ctx.indentationLvl += 2;
  for (const item of setValues.call(value)) {
    if (output.length >= limit) break;
    output.push(core.formatValue(ctx, item, recurseTimes));
  }
  ctx.indentationLvl -= 2;
  if (shape.size > limit) output.push(moreItems(shape.size - limit));
  return output;
}

function formatMap(ctx, value, recurseTimes, shape) {
  const limit = limitOf(ctx, shape.size);
  const output = [];
  ctx.indentationLvl += 2;
  for (const { 0: key, 1: item } of mapEntries.call(value)) {
    if (output.length >= limit) break;
    output.push(`${core.formatValue(ctx, key, recurseTimes)} => ${core.formatValue(ctx, item, recurseTimes)}`);
  }
  ctx.indentationLvl -= 2;
  if (shape.size > limit) output.push(moreItems(shape.size - limit));
  return output;
}

function formatItems(ctx, recurseTimes, items, isWeak) {
  const limit = limitOf(ctx, items.length);
  const output = [];
  ctx.indentationLvl += 2;
  for (let i = 0; i < limit; i++) output.push(core.formatValue(ctx, items[i], recurseTimes));
  ctx.indentationLvl -= 2;
  // The order of a weak collection says nothing.
  if (isWeak && !ctx.sorted) output.sort();
  if (items.length > limit) output.push(moreItems(items.length - limit));
  return output;
}

/** @param {unknown[]} entries keys and values in turn */
function formatPairs(ctx, recurseTimes, entries, isWeak) {
  const count = entries.length / 2;
  const limit = limitOf(ctx, count);
  const output = [];
  ctx.indentationLvl += 2;
  for (let i = 0; i < limit; i++) {
    const pair = [
      core.formatValue(ctx, entries[i * 2], recurseTimes),
      core.formatValue(ctx, entries[i * 2 + 1], recurseTimes),
    ];
    output.push(isWeak ? `${pair[0]} => ${pair[1]}` :
      reduceToSingleString(ctx, pair, '', ['[', ']'], kArrayExtrasType, recurseTimes));
  }
  ctx.indentationLvl -= 2;
  if (isWeak && !ctx.sorted) output.sort();
  if (count > limit) output.push(moreItems(count - limit));
  return output;
}

const formatUnknownItems = (ctx) => [ctx.stylize('<items unknown>', 'special')];
const formatWeakSet = (ctx, value, recurseTimes) => formatItems(ctx, recurseTimes, previewEntries(value), true);
const formatWeakMap = (ctx, value, recurseTimes) => formatPairs(ctx, recurseTimes, previewEntries(value), true);

function formatIterator(ctx, value, recurseTimes, shape) {
  const { 0: entries, 1: isKeyValue } = previewEntries(value, true);
  if (!isKeyValue) return formatItems(ctx, recurseTimes, entries, false);
  shape.braces[0] = shape.braces[0].replace(/ Iterator] {$/, ' Entries] {');
  return formatPairs(ctx, recurseTimes, entries, false);
}

function iteratorBraces(type, tag) {
  if (tag !== `${type} Iterator`) {
    if (tag !== '') tag += '] [';
    tag += `${type} Iterator`;
  }
  return [`[${tag}] {`, '}'];
}

// --- others ---

function formatPromise(ctx, value, recurseTimes) {
  const { 0: state, 1: result } = getPromiseDetails(value);
  if (state === kPending) return [ctx.stylize('<pending>', 'special')];
  ctx.indentationLvl += 2;
  const text = core.formatValue(ctx, result, recurseTimes);
  ctx.indentationLvl -= 2;
  return [state === kRejected ? `${ctx.stylize('<rejected>', 'special')} ${text}` : text];
}

function formatNamespace(ctx, value, recurseTimes, shape) {
  const output = [];
  for (const key of shape.keys) {
    try {
      output.push(core.formatProperty(ctx, value, recurseTimes, key, kObjectType));
    } catch {
      // The binding is still in its temporal dead zone.
      const text = core.formatProperty(ctx, { [key]: '' }, recurseTimes, key, kObjectType);
      output.push(text.slice(0, text.lastIndexOf(' ') + 1) + ctx.stylize('<uninitialized>', 'special'));
    }
  }
  shape.keys.length = 0;
  return output;
}

const kComments = /(\/\/.*?\n)|(\/\*(.|\n)*?\*\/)/g;
const kClassHead = /^(\s+[^(]*?)\s*{/;

function isClassText(text) {
  if (!text.startsWith('class') || !text.endsWith('}')) return false;
  const rest = text.slice(5, -1);
  const brace = rest.indexOf('{');
  return brace !== -1 &&
    (!rest.slice(0, brace).includes('(') || kClassHead.exec(rest.replace(kComments, '')) !== null);
}

function classBase(value, constructor, tag) {
  const name = (Object.hasOwn(value, 'name') && value.name) || '(anonymous)';
  let base = `class ${name}`;
  if (constructor !== 'Function' && constructor !== null) base += ` [${constructor}]`;
  if (tag !== '' && (constructor === null || !namesTag(constructor, tag))) base += ` [${tag}]`;
  if (constructor !== null) {
    const superName = Object.getPrototypeOf(value).name;
    if (superName) base += ` extends ${superName}`;
  } else {
    base += ' extends [null prototype]';
  }
  return `[${base}]`;
}

function functionBase(ctx, value, constructor, tag) {
  if (isClassText(Function.prototype.toString.call(value))) return classBase(value, constructor, tag);
  let type = 'Function';
  if (types.isGeneratorFunction(value)) type = `Generator${type}`;
  if (types.isAsyncFunction(value)) type = `Async${type}`;
  let base = `[${type}`;
  if (constructor === null) base += ' (null prototype)';
  if (value.name === '') base += ' (anonymous)';
  else base += `: ${typeof value.name === 'string' ? value.name : core.formatValue(ctx, value.name)}`;
  base += ']';
  if (constructor !== type && constructor !== null) base += ` ${constructor}`;
  if (tag !== '' && (constructor === null || !namesTag(constructor, tag))) base += ` [${tag}]`;
  return base;
}

const kBoxes = [
  ['Number', types.isNumberObject, Number.prototype.valueOf],
  ['String', types.isStringObject, String.prototype.valueOf],
  ['Boolean', types.isBooleanObject, Boolean.prototype.valueOf],
  ['BigInt', types.isBigIntObject, BigInt.prototype.valueOf],
  ['Symbol', types.isSymbolObject, Symbol.prototype.valueOf],
];

function boxedBase(ctx, shape) {
  const { value, constructorName, tag, keys } = shape;
  const [type, , valueOf] = kBoxes.find((box) => box[1](value));
  // The characters of a String object are no properties worth listing.
  if (type === 'String') keys.splice(0, value.length);
  let base = `[${type}`;
  if (type !== constructorName) base += constructorName === null ? ' (null prototype)' : ` (${constructorName})`;
  base += `: ${formatPrimitive(stylizeNoColor, valueOf.call(value), ctx)}]`;
  if (tag !== '' && tag !== constructorName) base += ` [${tag}]`;
  if (keys.length !== 0 || ctx.stylize === stylizeNoColor) return base;
  return ctx.stylize(base, type.toLowerCase());
}

// --- shapes ---

function describeSized(ctx, shape, getKeys, name, size, formatter) {
  const prefix = shape.prefix(name, `(${size})`);
  shape.keys = getKeys(shape.value, ctx.showHidden);
  shape.size = size;
  shape.formatter = formatter;
  shape.braces = [`${prefix}{`, '}'];
  if (size === 0 && shape.isBare) shape.text = `${prefix}{}`;
}

function describeTypedArray(ctx, shape) {
  const { value } = shape;
  let elements = value;
  let fallback = '';
  if (shape.constructorName === null) {
    fallback = getTypedArrayTag.call(value);
    elements = new globalThis[fallback](value);
  }
  const size = getTypedArrayLength.call(value);
  shape.keys = getOwnNonIndexProperties(value, ctx.showHidden ? ALL_PROPERTIES : ONLY_ENUMERABLE);
  shape.elements = elements;
  shape.size = size;
  shape.braces = [`${shape.prefix(fallback, `(${size})`)}[`, ']'];
  shape.extrasType = kArrayExtrasType;
  shape.formatter = formatTypedArray;
  if (size === 0 && shape.keys.length === 0 && !ctx.showHidden) shape.text = `${shape.braces[0]}]`;
}

/** For the collections; arrays are inspect_value.js's. */
function describeIterable(ctx, shape, getKeys, kind) {
  const { value } = shape;
  switch (kind) {
    case kSet:
      return describeSized(ctx, shape, getKeys, 'Set', getSetSize.call(value), formatSet);
    case kMap:
      return describeSized(ctx, shape, getKeys, 'Map', getMapSize.call(value), formatMap);
    case kTypedArray:
      return describeTypedArray(ctx, shape);
    default:
      shape.keys = getKeys(value, ctx.showHidden);
      shape.braces = iteratorBraces(kind === kMapIterator ? 'Map' : 'Set', shape.tag);
      shape.formatter = formatIterator;
  }
}

function describePlain(shape, kind) {
  if (kind === kArguments) shape.braces[0] = '[Arguments] {';
  else if (shape.tag !== '') shape.braces[0] = `${shape.prefix('Object')}{`;
  if (shape.isBare) shape.text = `${shape.braces[0]}}`;
}

function describeFunction(ctx, shape) {
  shape.base = functionBase(ctx, shape.value, shape.constructorName, shape.tag);
  if (shape.isBare) shape.text = ctx.stylize(shape.base, 'special');
}

function describeRegExp(ctx, shape, recurseTimes) {
  const { value, constructorName } = shape;
  shape.base = RegExp.prototype.toString.call(constructorName !== null ? value : new RegExp(value));
  const prefix = shape.prefix('RegExp');
  if (prefix !== 'RegExp ') shape.base = `${prefix}${shape.base}`;
  if (shape.isBare || (recurseTimes > ctx.depth && ctx.depth !== null)) {
    shape.text = ctx.stylize(shape.base, 'regexp');
  }
}

function describeDate(ctx, shape) {
  const { value } = shape;
  shape.base = Number.isNaN(Date.prototype.getTime.call(value)) ?
    Date.prototype.toString.call(value) : Date.prototype.toISOString.call(value);
  const prefix = shape.prefix('Date');
  if (prefix !== 'Date ') shape.base = `${prefix}${shape.base}`;
  if (shape.isBare) shape.text = ctx.stylize(shape.base, 'date');
}

function describeArrayBuffer(ctx, shape, typedArray) {
  const { value } = shape;
  const prefix = shape.prefix(types.isArrayBuffer(value) ? 'ArrayBuffer' : 'SharedArrayBuffer');
  if (typedArray === undefined) {
    shape.formatter = formatArrayBuffer;
  } else if (shape.isBare) {
    const length = formatNumber(ctx.stylize, value.byteLength, false);
    shape.text = `${prefix}{ ${ctx.stylize('[byteLength]', 'string')}: ${length} }`;
    return;
  }
  shape.braces[0] = `${prefix}{`;
  shape.inheritedKeys = ['byteLength'];
}

/** What the engine remembers as the constructor of an object without prototype. */
function engineName({ value, constructorName, tag }) {
  if (constructorName !== null) return 'Object';
  const name = engineConstructorName(value);
  // The engine, too, looks at the tag.
  return name === tag ? 'Object' : name;
}

/** A URL whose own inspector is switched off. */
function isUrl(value) {
  return typeof globalThis.URL === 'function' && value instanceof globalThis.URL;
}

function describeOther(ctx, shape, recurseTimes, kind) {
  const { value } = shape;
  if (isUrl(value) && !(recurseTimes > ctx.depth && ctx.depth !== null)) {
    shape.base = value.href;
    if (shape.isBare) shape.text = shape.base;
    return;
  }
  const prefix = shape.prefix(kind === kArguments ? 'Arguments' : engineName(shape));
  shape.braces[0] = `${prefix}{`;
  if (!shape.isBare) return;
  shape.text = kind === kExternal ?
    ctx.stylize(`[External: ${getExternalValue(value).toString(16)}]`, 'special') : `${prefix}{}`;
}

function describeBoxed(ctx, shape) {
  shape.base = boxedBase(ctx, shape);
  if (shape.isBare) shape.text = shape.base;
}

function describeError(ctx, shape) {
  try {
    shape.base = formatError(shape.value, shape.constructorName, shape.tag, ctx, shape.keys);
  } catch {
    // Its name or message throws, as on the prototype of DOMException.
    shape.base = Object.prototype.toString.call(shape.value);
  }
  if (shape.isBare) shape.text = shape.base;
}

function describeWith(shape, name, formatter, inheritedKeys = undefined) {
  shape.braces[0] = `${shape.prefix(name)}{`;
  shape.formatter = formatter;
  if (inheritedKeys !== undefined) shape.inheritedKeys = inheritedKeys;
}

const kDataViewKeys = ['byteLength', 'byteOffset', 'buffer'];

/** For everything that describeIterable() does not know; `keys` and empty braces are set already. */
function describeObject(ctx, shape, recurseTimes, typedArray, kind) {
  if (kind === kFunction) return describeFunction(ctx, shape);
  if (shape.constructorName === 'Object') return describePlain(shape, kind);
  switch (kind) {
    case kRegExp: return describeRegExp(ctx, shape, recurseTimes);
    case kDate: return describeDate(ctx, shape);
    case kError: return describeError(ctx, shape);
    case kAnyArrayBuffer: return describeArrayBuffer(ctx, shape, typedArray);
    case kDataView: return describeWith(shape, 'DataView', undefined, kDataViewKeys);
    case kPromise: return describeWith(shape, 'Promise', formatPromise);
    case kWeakSet: return describeWith(shape, 'WeakSet', ctx.showHidden ? formatWeakSet : formatUnknownItems);
    case kWeakMap: return describeWith(shape, 'WeakMap', ctx.showHidden ? formatWeakMap : formatUnknownItems);
    case kModuleNamespace: return describeWith(shape, 'Module', formatNamespace);
    case kBoxedPrimitive: return describeBoxed(ctx, shape);
    default:
      if (shape.value instanceof Error) return describeError(ctx, shape);
      return describeOther(ctx, shape, recurseTimes, kind);
  }
}

module.exports = {
  describeIterable, describeObject, formatArray, isTypedArray, kArray, kFirstIterable: kArray,
  kLastIterable: kSetIterator,
};

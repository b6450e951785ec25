'use strict';

// What util.inspect() calls a value: its constructor's name, its tag, the prefix made of both; and the
// properties that showHidden finds on prototypes.

// Constructors whose prototypes hold nothing worth showing.
const kBuiltIns = new Set([
  'Object', 'Function', 'Array', 'Number', 'Boolean', 'String', 'Symbol', 'Date', 'Promise', 'RegExp', 'Error',
  'AggregateError', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError',
  'ArrayBuffer', 'Uint8Array', 'Int8Array', 'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array',
  'BigUint64Array', 'BigInt64Array', 'Uint8ClampedArray', 'Float32Array', 'Float64Array', 'DataView', 'Map',
  'BigInt', 'Set', 'Iterator', 'WeakMap', 'WeakSet', 'WeakRef', 'Proxy', 'FinalizationRegistry',
]);

// Before the requires: the files of inspect() need each other.
module.exports = { getConstructorName, getPrefix, getTag, kBuiltIns, namesTag };

const { getConstructorName: engineConstructorName } = binding('util');
const core = require('#util/inspect_value');
const { kObjectType } = require('#util/inspect_layout');

const ObjectPrototype = Object.prototype;
const ArrayPrototype = Array.prototype;

/** How many levels of prototypes showHidden looks at. */
const kPrototypeLevels = 3;

function isInstanceOf(object, constructor) {
  try {
    return object instanceof constructor;
  } catch {
    return false;
  }
}

/** Adds the formatted non-method properties of the prototypes of `main`, from `object` on, to `output`. */
function addPrototypeProperties(ctx, main, object, recurseTimes, output) {
  const seenKeys = new Set();
  let keys = [];
  for (let depth = 0; depth < kPrototypeLevels; depth++) {
    if (depth !== 0 || main === object) {
      object = Object.getPrototypeOf(object);
      if (object === null) break;
      const descriptor = Object.getOwnPropertyDescriptor(object, 'constructor');
      if (typeof descriptor?.value === 'function' && kBuiltIns.has(descriptor.value.name)) break;
    }
    for (const key of keys) seenKeys.add(key);
    keys = Reflect.ownKeys(object);
    ctx.seen.push(main);
    for (const key of keys) {
      if (key === 'constructor' || Object.hasOwn(main, key) || (depth !== 0 && seenKeys.has(key))) continue;
      const descriptor = Object.getOwnPropertyDescriptor(object, key);
      if (typeof descriptor.value === 'function') continue;
      const text = core.formatProperty(ctx, object, recurseTimes, key, kObjectType, descriptor, main);
      output.push(ctx.colors ? `\u001b[2m${text}\u001b[22m` : text);
    }
    ctx.seen.pop();
  }
}

/** The name of the first constructor that the value is really an instance of; null without prototype. */
function getConstructorName(value, ctx, recurseTimes, protoProps) {
  if (protoProps === undefined) {
    // What most values are.
    const proto = Object.getPrototypeOf(value);
    if ((proto === ObjectPrototype || proto === ArrayPrototype) && !Object.hasOwn(value, 'constructor')) {
      const { constructor } = proto;
      if (constructor === Object) return 'Object';
      if (constructor === Array) return 'Array';
    }
  }
  let object = value;
  let firstProto;
  while (object) {
    const descriptor = Object.getOwnPropertyDescriptor(object, 'constructor');
    if (descriptor !== undefined && typeof descriptor.value === 'function' && descriptor.value.name !== '' &&
        isInstanceOf(value, descriptor.value)) {
      if (protoProps !== undefined && (firstProto !== object || !kBuiltIns.has(descriptor.value.name))) {
        addPrototypeProperties(ctx, value, firstProto || value, recurseTimes, protoProps);
      }
      return String(descriptor.value.name);
    }
    object = Object.getPrototypeOf(object);
    if (firstProto === undefined) firstProto = object;
  }
  if (firstProto === null) return null;
  const name = engineConstructorName(value);
  if (recurseTimes > ctx.depth && ctx.depth !== null) return `${name} <Complex prototype>`;
  const protoName = getConstructorName(firstProto, ctx, recurseTimes + 1, protoProps);
  if (protoName === null) {
    const text = require('#util/inspect').inspect(firstProto, { ...ctx, customInspect: false, depth: -1 });
    return `${name} <${text}>`;
  }
  return `${name} <${protoName}>`;
}

/** Whether a constructor's name tells the tag as well, as in SetSubclass: the tag as a word of it, or its end. */
function namesTag(constructor, tag) {
  for (let at = constructor.indexOf(tag); at !== -1; at = constructor.indexOf(tag, at + 1)) {
    const next = constructor[at + tag.length];
    if (next === undefined || (next >= 'A' && next <= 'Z')) return true;
  }
  return false;
}

/** `Name(size) [Tag] `, with its trailing space. */
function getPrefix(constructor, tag, fallback, size = '') {
  if (constructor === null) {
    if (tag !== '' && fallback !== tag) return `[${fallback}${size}: null prototype] [${tag}] `;
    return `[${fallback}${size}: null prototype] `;
  }
  if (tag !== '' && !namesTag(constructor, tag)) return `${constructor}${size} [${tag}] `;
  return `${constructor}${size} `;
}

/** Symbol.toStringTag, unless it will be listed among the properties anyway. */
function getTag(value, ctx) {
  let tag;
  try {
    tag = value[Symbol.toStringTag];
  } catch {
    return '';
  }
  if (typeof tag !== 'string' || tag === '') return '';
  const isListed = ctx.showHidden ?
    Object.hasOwn(value, Symbol.toStringTag) :
    Object.prototype.propertyIsEnumerable.call(value, Symbol.toStringTag);
  return isListed ? '' : tag;
}

'use strict';

// Deep equality, in three modes: loose (assert.deepEqual), strict (assert.deepStrictEqual,
// util.isDeepStrictEqual) and partial (assert.partialDeepStrictEqual: what `expected` has must be in
// `actual`). The rules are those of the documentation of node:assert, "Comparison details".

const types = binding('types');
const { kindOf, kinds } = types;
const { compare: compareBytes } = binding('buffer');
const { constants: { ONLY_ENUMERABLE }, getOwnNonIndexProperties } = binding('util');

const kLoose = 0;
const kStrict = 1;
const kPartial = 2;

const kNoKeys = Object.freeze([]);
const kNoIterator = 0;
const kIsArray = 1;
const kIsSet = 2;
const kIsMap = 3;

const TypedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);
const getTypedArrayTag = Object.getOwnPropertyDescriptor(TypedArrayPrototype, Symbol.toStringTag).get;
const isEnumerable = (object, key) => Object.prototype.propertyIsEnumerable.call(object, key);
const isObject = (value) => value !== null && typeof value === 'object';
const isError = (value) => types.isNativeError(value) || value instanceof Error;

/** Beyond this many objects they are found by hashing. */
const kLinearCount = 64;

/**
 * The objects, of both sides, that are being compared further up. Coming back to two of them closes a cycle on both
 * sides; to one of them alone, on one side only. The outermost pair has no list: most comparisons are flat.
 */
class Memo {
  constructor() {
    this.outerA = undefined;
    this.outerB = undefined;
    this.list = undefined;
    this.set = undefined;
  }

  has(object) {
    if (object === this.outerA || object === this.outerB) return true;
    if (this.set !== undefined) return this.set.has(object);
    for (let i = 0; i < this.list.length; i++) if (this.list[i] === object) return true;
    return false;
  }

  /** @returns {boolean | undefined} whether the pair is equal, if that is clear; undefined for one that is new */
  enter(a, b) {
    if (this.outerA === undefined) {
      this.outerA = a;
      this.outerB = b;
      return undefined;
    }
    this.list ??= [];
    if (this.set === undefined && this.list.length >= kLinearCount) this.set = new Set(this.list);
    const hasA = this.has(a);
    const hasB = this.has(b);
    if (hasA || hasB) return hasA && hasB;
    this.list.push(a, b);
    this.set?.add(a).add(b);
    return undefined;
  }

  leave(a, b) {
    if (this.list === undefined || this.list.length === 0) {
      this.outerA = undefined;
      this.outerB = undefined;
      return;
    }
    this.list.pop();
    this.list.pop();
    if (this.set === undefined) return;
    if (this.list.length < kLinearCount) {
      this.set = undefined;
    } else {
      this.set.delete(a);
      this.set.delete(b);
    }
  }
}

function sameRegExp(a, b) {
  return a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex;
}

const asView = (value) => (ArrayBuffer.isView(value) ? value : new Uint8Array(value));
const sameBytes = (a, b) => a.byteLength === b.byteLength && compareBytes(asView(a), asView(b)) === 0;

/** Whether the bytes of b occur in a, in order. */
function hasBytes(a, b) {
  if (a.byteLength < b.byteLength) return false;
  const left = new Uint8Array(a.buffer ?? a, a.byteOffset ?? 0, a.byteLength);
  const right = new Uint8Array(b.buffer ?? b, b.byteOffset ?? 0, b.byteLength);
  let found = 0;
  for (let i = 0; i < left.length && found < right.length; i++) if (left[i] === right[found]) found++;
  return found === right.length;
}

function sameFloats(a, b) {
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i] && !(Number.isNaN(a[i]) && Number.isNaN(b[i]))) return false;
  }
  return true;
}

function sameView(a, b, mode) {
  if (getTypedArrayTag.call(a) !== getTypedArrayTag.call(b)) return false;
  if (mode === kPartial) return hasBytes(a, b);
  const tag = getTypedArrayTag.call(a);
  if (mode === kLoose && (tag === 'Float32Array' || tag === 'Float64Array' || tag === 'Float16Array')) {
    return a.length === b.length && sameFloats(a, b);
  }
  return sameBytes(a, b);
}

const kBoxes = [
  [types.isNumberObject, Number.prototype.valueOf],
  [types.isStringObject, String.prototype.valueOf],
  [types.isBooleanObject, Boolean.prototype.valueOf],
  [types.isBigIntObject, BigInt.prototype.valueOf],
  [types.isSymbolObject, Symbol.prototype.valueOf],
];

function sameBoxed(a, b) {
  const box = kBoxes.find((each) => each[0](a));
  return box[0](b) && Object.is(box[1].call(a), box[1].call(b));
}

/**
 * Properties of errors count even when they are not enumerable; what partial equality expects may be empty.
 */
function sameHiddenProperty(a, b, key, mode, memo) {
  if (isEnumerable(b, key)) return true;
  const expected = b[key];
  const isOptional = key === 'cause' || key === 'errors';
  if (isOptional && Object.hasOwn(b, key) && !Object.hasOwn(a, key)) return false;
  if (mode === kPartial && (expected === undefined || (key === 'message' && expected === ''))) return true;
  if (isOptional && mode !== kPartial && Object.hasOwn(a, key) !== Object.hasOwn(b, key)) return false;
  return innerDeepEqual(a[key], expected, mode, memo);
}

function sameError(a, b, mode, memo) {
  if (!isError(b)) return false;
  return ['message', 'name', 'cause', 'errors'].every((key) => sameHiddenProperty(a, b, key, mode, memo));
}

const isUrl = (value) => typeof globalThis.URL === 'function' && value instanceof globalThis.URL;

function compareArrays(a, b, mode, memo) {
  if (mode === kPartial ? b.length > a.length : a.length !== b.length) return false;
  const keysA = getOwnNonIndexProperties(a, ONLY_ENUMERABLE);
  const keysB = getOwnNonIndexProperties(b, ONLY_ENUMERABLE);
  if (keysB.length === 0 && (keysA.length === 0 || mode === kPartial)) {
    return compareEntries(a, b, mode, memo, kIsArray, kNoKeys);
  }
  if (mode === kStrict && keysA.length !== keysB.length) return false;
  const withoutSymbols = (keys) => keys.filter((key) => typeof key !== 'symbol');
  const namesA = withoutSymbols(keysA);
  const namesB = withoutSymbols(keysB);
  if (mode === kLoose && namesA.length !== namesB.length) return false;
  return compareKeys(a, b, mode, memo, kIsArray, namesA, namesB);
}

function compareDates(a, b) {
  const timeA = Date.prototype.getTime.call(a);
  const timeB = Date.prototype.getTime.call(b);
  return timeA === timeB || (Number.isNaN(timeA) && Number.isNaN(timeB));
}

function compareViews(a, b, mode, memo) {
  if (!sameView(a, b, mode)) return false;
  const keysB = getOwnNonIndexProperties(b, ONLY_ENUMERABLE);
  const keysA = getOwnNonIndexProperties(a, ONLY_ENUMERABLE);
  if (mode !== kPartial && keysA.length !== keysB.length) return false;
  const names = (keys) => keys.filter((key) => typeof key !== 'symbol');
  return compareKeys(a, b, mode, memo, kNoIterator, names(keysA), names(keysB));
}

/** What counts besides properties; undefined: nothing. */
function compareInsides(a, b, mode, memo, kind) {
  switch (kind) {
    case kinds.kDate: return compareDates(a, b);
    case kinds.kRegExp: return sameRegExp(a, b);
    case kinds.kError: return sameError(a, b, mode, memo);
    case kinds.kAnyArrayBuffer: return mode === kPartial ? hasBytes(a, b) : sameBytes(a, b);
    case kinds.kBoxedPrimitive: return sameBoxed(a, b);
    case kinds.kWeakSet:
    case kinds.kWeakMap: return false;
    default:
      if (a instanceof Error || b instanceof Error) return isError(a) && sameError(a, b, mode, memo);
      // Both have the same tag.
      if (a[Symbol.toStringTag] === 'URL' && (isUrl(a) || isUrl(b))) return isUrl(a) && isUrl(b) && a.href === b.href;
      return isKey(a) ? sameKey(a, b) : true;
  }
}

/** The kind; a proxy of an array counts as one, a namespace is an object like any other. */
function kindThrough(value) {
  const kind = kindOf(value);
  if (kind === kinds.kModuleNamespace) return kinds.kOther;
  return kind === kinds.kOther && Array.isArray(value) ? kinds.kArray : kind;
}

const sizesFit = (a, b, mode) => (mode === kPartial ? b.size <= a.size : a.size === b.size);

/** @param {object | null} prototype that of b */
function compareObjects(a, b, mode, memo, prototype) {
  const kind = kindThrough(a);
  if (kind !== kindThrough(b) || a[Symbol.toStringTag] !== b[Symbol.toStringTag]) return false;
  switch (kind) {
    case kinds.kArray: return compareArrays(a, b, mode, memo);
    case kinds.kTypedArray:
    case kinds.kDataView: return compareViews(a, b, mode, memo);
    case kinds.kSet: return sizesFit(a, b, mode) && compareKeys(a, b, mode, memo, kIsSet);
    case kinds.kMap: return sizesFit(a, b, mode) && compareKeys(a, b, mode, memo, kIsMap);
    default:
      // Plain objects have no insides.
      if ((kind !== kinds.kOther || prototype !== Object.prototype) && !compareInsides(a, b, mode, memo, kind)) {
        return false;
      }
      return compareKeys(a, b, mode, memo, kNoIterator);
  }
}

let keyTypes;

function isKey(value) {
  keyTypes ??= require('#util/types');
  return keyTypes.isKeyObject(value) || keyTypes.isCryptoKey(value);
}

/** Keys are compared by what they hold. */
function sameKey(a, b) {
  const { isCryptoKey, isKeyObject } = keyTypes;
  if (isKeyObject(a)) return isKeyObject(b) && a.equals(b);
  if (!isCryptoKey(b)) return false;
  const { keyObjectOf } = require('#crypto/crypto_key');
  return a.extractable === b.extractable && isDeepStrictEqual(a.algorithm, b.algorithm) &&
    isDeepStrictEqual(a.usages, b.usages) && keyObjectOf(a).equals(keyObjectOf(b));
}

/** @returns {boolean} whether b's enumerable symbol keys are a's too */
function sameSymbols(a, b, mode, symbolsB) {
  const symbolsA = mode === kPartial ? kNoKeys : Object.getOwnPropertySymbols(a);
  if (symbolsA.length === 0 && symbolsB.length === 0) return true;
  let count = 0;
  for (const key of symbolsB) {
    if (!isEnumerable(b, key)) continue;
    if (!isEnumerable(a, key)) return false;
    count++;
  }
  if (mode === kPartial) return true;
  for (const key of symbolsA) if (isEnumerable(a, key)) count--;
  return count === 0;
}

function compareKeys(a, b, mode, memo, iteration, keysA = undefined, keysB = undefined) {
  keysB ??= Object.keys(b);
  if (mode !== kPartial) {
    keysA ??= Object.keys(a);
    if (keysA.length !== keysB.length) return false;
  }
  for (let i = 0; i < keysB.length; i++) {
    // Mostly both have the same keys in the same order.
    if ((keysA === undefined || keysA[i] !== keysB[i]) && !isEnumerable(a, keysB[i])) return false;
  }
  if (mode !== kLoose) {
    const symbols = Object.getOwnPropertySymbols(b);
    if (!sameSymbols(a, b, mode, symbols)) return false;
    if (symbols.length > 0) keysB = keysB.concat(symbols.filter((key) => isEnumerable(b, key)));
  }
  return compareEntries(a, b, mode, memo, iteration, keysB);
}

function compareEntries(a, b, mode, memo, iteration, keysB) {
  // Nothing in it, nothing to remember.
  if (keysB.length === 0 && (iteration === kNoIterator || (iteration === kIsArray && b.length === 0) || b.size === 0)) {
    return true;
  }
  const known = memo.enter(a, b);
  if (known !== undefined) return known;
  const result = compareContents(a, b, mode, memo, iteration, keysB);
  memo.leave(a, b);
  return result;
}

function compareContents(a, b, mode, memo, iteration, keys) {
  if (iteration === kIsSet) {
    if (!compareSets(a, b, mode, memo)) return false;
  } else if (iteration === kIsMap) {
    if (!compareMaps(a, b, mode, memo)) return false;
  } else if (iteration === kIsArray) {
    if (!compareElements(a, b, mode, memo)) return false;
  }
  for (let i = 0; i < keys.length; i++) {
    const x = a[keys[i]];
    const y = b[keys[i]];
    if ((x !== y || x === 0) && !innerDeepEqual(x, y, mode, memo)) return false;
  }
  return true;
}

/** The array's own indices, ascending. */
function indicesOf(array) {
  const keys = Object.keys(array);
  const end = keys.findIndex((key) => !(String(key >>> 0) === key && key >>> 0 !== 4294967295));
  return end === -1 ? keys : keys.slice(0, end);
}

/** For arrays that are mostly holes: only what is there is looked at. */
function compareSparse(a, b, mode, memo) {
  const indicesA = indicesOf(a);
  const indicesB = indicesOf(b);
  if (indicesA.length !== indicesB.length) return false;
  for (let i = 0; i < indicesA.length; i++) {
    const index = indicesA[i];
    if (index !== indicesB[i]) return false;
    if (a[index] === undefined || b[index] === undefined) {
      if (a[index] !== b[index]) return false;
    } else if (!innerDeepEqual(a[index], b[index], mode, memo)) {
      return false;
    }
  }
  return true;
}

function compareElements(a, b, mode, memo) {
  if (mode === kPartial) return hasElements(a, b, memo);
  for (let i = 0; i < a.length; i++) {
    const x = a[i];
    const y = b[i];
    if (x === undefined || y === undefined) {
      // Even loosely, undefined equals no null here, and a hole only a hole.
      if (x !== y || Object.hasOwn(a, i) !== Object.hasOwn(b, i)) return false;
      if (!Object.hasOwn(a, i)) return compareSparse(a, b, mode, memo);
      continue;
    }
    if ((x !== y || x === 0) && !innerDeepEqual(x, y, mode, memo)) return false;
  }
  return true;
}

/** Whether what b has from `atB` on occurs in what a has from `atA` on, in order; holes do not count. */
function hasSparseElements(a, b, atA, atB, memo) {
  const indicesA = indicesOf(a);
  const indicesB = indicesOf(b).filter((index) => Number(index) >= atB);
  let next = indicesA.findIndex((index) => Number(index) >= atA);
  if (next === -1) return indicesB.length === 0;
  for (const index of indicesB) {
    while (next < indicesA.length && !innerDeepEqual(a[indicesA[next]], b[index], kPartial, memo)) next++;
    if (next++ === indicesA.length) return false;
  }
  return true;
}

/** Whether the elements of b occur in a, in order. */
function hasElements(a, b, memo) {
  let at = 0;
  for (let i = 0; i < b.length; i++) {
    if (at === a.length) return false;
    if (b[i] === undefined && !Object.hasOwn(b, i)) return hasSparseElements(a, b, at, i, memo);
    let found = false;
    for (; at < a.length && !found; at++) {
      if (a[at] === undefined && !Object.hasOwn(a, at)) return hasSparseElements(a, b, at, i, memo);
      found = innerDeepEqual(a[at], b[i], kPartial, memo);
    }
    if (!found) return false;
  }
  return true;
}

/** Candidates, in their order, of which one after the other is taken out; mostly the first that is left. */
class Candidates {
  constructor() {
    this.items = [];
    this.first = 0;
  }

  /** Takes out the first for which `fits(item)`. @returns {boolean} whether there is one */
  take(fits) {
    for (let i = this.first; i < this.items.length; i++) {
      if (!fits(this.items[i])) continue;
      if (i === this.first) this.first++;
      else this.items.splice(i, 1);
      return true;
    }
    return false;
  }
}

/**
 * Loosely equal values of other types that a set or map may hold for a primitive; undefined: no simple
 * answer.
 */
function looseCandidate(value) {
  switch (typeof value) {
    case 'undefined': return null;
    case 'object': return undefined;
    case 'symbol': return false;
    case 'string': {
      const number = +value;
      if (Number.isNaN(number)) return false;
      return true;
    }
    case 'number': return !Number.isNaN(value);
    default: return true;
  }
}

function compareSets(a, b, mode, memo) {
  let rest;
  for (const value of b) {
    if (a.has(value)) continue;
    // Without that very value it takes an equal object, or with loose equality an equal primitive.
    if (mode !== kLoose && !isObject(value)) return false;
    if (mode === kLoose && !isObject(value) && looseCandidate(value) === false) return false;
    (rest ??= []).push(value);
  }
  if (rest === undefined) return true;
  const candidates = new Candidates();
  for (const value of a) {
    if (b.has(value)) continue;
    if (mode === kStrict && !isObject(value)) return false;
    candidates.items.push(value);
  }
  // Objects may equal an object that both sets hold, in partial mode.
  for (const value of rest) {
    if (!candidates.take((item) => innerDeepEqual(item, value, mode, memo))) return false;
  }
  return true;
}

function compareMaps(a, b, mode, memo) {
  let rest;
  for (const { 0: key, 1: value } of b) {
    const own = a.get(key);
    // What is there but undefined counts, what is not there does not.
    if ((own !== undefined || a.has(key)) && innerDeepEqual(own, value, mode, memo)) continue;
    if (mode !== kLoose && !isObject(key)) return false;
    (rest ??= []).push(key);
  }
  if (rest === undefined) return true;
  const candidates = new Candidates();
  for (const key of a.keys()) {
    if (b.has(key) && innerDeepEqual(a.get(key), b.get(key), mode, memo)) continue;
    candidates.items.push(key);
  }
  for (const key of rest) {
    const value = b.get(key);
    const fits = (item) => innerDeepEqual(item, key, mode, memo) && innerDeepEqual(a.get(item), value, mode, memo);
    if (!candidates.take(fits)) return false;
  }
  return true;
}

let checksPrototypes = true;

function innerDeepEqual(a, b, mode, memo) {
  if (a === b) return a !== 0 || mode === kLoose || Object.is(a, b);
  if (mode === kLoose) {
    if (!isObject(a)) {
      // eslint-disable-next-line eqeqeq
      return !isObject(b) && (a == b || (Number.isNaN(a) && Number.isNaN(b)));
    }
    if (!isObject(b)) return false;
  } else {
    if (typeof a !== 'object') return typeof a === 'number' && Number.isNaN(a) && Number.isNaN(b);
    if (typeof b !== 'object' || a === null || b === null) return false;
    if (checksPrototypes && mode === kStrict) {
      const prototype = Object.getPrototypeOf(b);
      return Object.getPrototypeOf(a) === prototype && compareObjects(a, b, mode, memo, prototype);
    }
  }
  return compareObjects(a, b, mode, memo, Object.getPrototypeOf(b));
}

// What needs no look inside needs no memo either.
const isDeepEqual = (a, b) => (a === b && a !== 0) || innerDeepEqual(a, b, kLoose, new Memo());

function isDeepStrictEqual(a, b, skipPrototype = false) {
  if (a === b && a !== 0) return true;
  if (!skipPrototype) return innerDeepEqual(a, b, kStrict, new Memo());
  checksPrototypes = false;
  try {
    return innerDeepEqual(a, b, kStrict, new Memo());
  } finally {
    checksPrototypes = true;
  }
}

const isPartialStrictEqual = (a, b) => innerDeepEqual(a, b, kPartial, new Memo());

module.exports = { isDeepEqual, isDeepStrictEqual, isPartialStrictEqual };

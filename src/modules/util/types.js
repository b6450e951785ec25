'use strict';

// node:util/types: what the engine says, plus the views, which JavaScript itself can tell apart.

const native = binding('types');
const { isLoaded } = require('#runtime/loader');

const TypedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);
const getTag = Object.getOwnPropertyDescriptor(TypedArrayPrototype, Symbol.toStringTag).get;

const kNativeChecks = [
  'isArgumentsObject', 'isArrayBuffer', 'isAsyncFunction', 'isBigIntObject', 'isBooleanObject', 'isDataView',
  'isDate', 'isExternal', 'isGeneratorFunction', 'isGeneratorObject', 'isMap', 'isMapIterator',
  'isModuleNamespaceObject', 'isNativeError', 'isNumberObject', 'isPromise', 'isProxy', 'isRegExp', 'isSet',
  'isSetIterator', 'isSharedArrayBuffer', 'isStringObject', 'isSymbolObject', 'isWeakMap', 'isWeakSet',
  'isAnyArrayBuffer', 'isBoxedPrimitive',
];
const types = {};
for (const name of kNativeChecks) types[name] = native[name];

Object.assign(types, {
  isArrayBufferView: ArrayBuffer.isView,
  isTypedArray(value) {
    return getTag.call(value) !== undefined;
  },
  isUint8Array(value) {
    return getTag.call(value) === 'Uint8Array';
  },
  isUint8ClampedArray(value) {
    return getTag.call(value) === 'Uint8ClampedArray';
  },
  isUint16Array(value) {
    return getTag.call(value) === 'Uint16Array';
  },
  isUint32Array(value) {
    return getTag.call(value) === 'Uint32Array';
  },
  isInt8Array(value) {
    return getTag.call(value) === 'Int8Array';
  },
  isInt16Array(value) {
    return getTag.call(value) === 'Int16Array';
  },
  isInt32Array(value) {
    return getTag.call(value) === 'Int32Array';
  },
  isFloat16Array(value) {
    return getTag.call(value) === 'Float16Array';
  },
  isFloat32Array(value) {
    return getTag.call(value) === 'Float32Array';
  },
  isFloat64Array(value) {
    return getTag.call(value) === 'Float64Array';
  },
  isBigInt64Array(value) {
    return getTag.call(value) === 'BigInt64Array';
  },
  isBigUint64Array(value) {
    return getTag.call(value) === 'BigUint64Array';
  },
});

function defineLazyCheck(name, id) {
  let check;
  Object.defineProperty(types, name, {
    __proto__: null,
    configurable: false,
    enumerable: true,
    value(object) {
      // What was never loaded has no instances, and programs need not pay for asking.
      if (check === undefined && !isLoaded(id)) return false;
      check ??= require(id)[name];
      return check(object);
    },
  });
}
defineLazyCheck('isKeyObject', '#crypto/keys');
defineLazyCheck('isCryptoKey', '#crypto/crypto_key');

module.exports = types;

'use strict';

// Checks of what users hand over, throwing the errors that Node.js throws. The stack of such an error begins
// at the checked function, not here.

const {
  codes: {
    ERR_INVALID_ARG_TYPE,
    ERR_INVALID_ARG_VALUE,
    ERR_INVALID_THIS,
    ERR_OUT_OF_RANGE,
    ERR_SOCKET_BAD_PORT,
    ERR_UNKNOWN_SIGNAL,
  },
  throwFrom,
} = require('#internal/errors');

const isInt32 = (value) => value === (value | 0);
const isUint32 = (value) => value === (value >>> 0);

function validateInteger(value, name, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  if (typeof value !== 'number') throwFrom(validateInteger, ERR_INVALID_ARG_TYPE, name, 'number', value);
  if (!Number.isInteger(value)) throwFrom(validateInteger, ERR_OUT_OF_RANGE, name, 'an integer', value);
  if (value < min || value > max) {
    throwFrom(validateInteger, ERR_OUT_OF_RANGE, name, `>= ${min} && <= ${max}`, value);
  }
}

function validateInt32(value, name, min = -2147483648, max = 2147483647) {
  if (typeof value !== 'number') throwFrom(validateInt32, ERR_INVALID_ARG_TYPE, name, 'number', value);
  if (!Number.isInteger(value)) throwFrom(validateInt32, ERR_OUT_OF_RANGE, name, 'an integer', value);
  if (value < min || value > max) {
    throwFrom(validateInt32, ERR_OUT_OF_RANGE, name, `>= ${min} && <= ${max}`, value);
  }
}

/** @param {boolean} [positive] whether 0 is refused */
function validateUint32(value, name, positive = false) {
  if (typeof value !== 'number') throwFrom(validateUint32, ERR_INVALID_ARG_TYPE, name, 'number', value);
  if (!Number.isInteger(value)) throwFrom(validateUint32, ERR_OUT_OF_RANGE, name, 'an integer', value);
  const min = positive ? 1 : 0;
  if (value < min || value > 4294967295) {
    throwFrom(validateUint32, ERR_OUT_OF_RANGE, name, `>= ${min} && <= 4294967295`, value);
  }
}

function validateNumber(value, name, min = undefined, max = undefined) {
  if (typeof value !== 'number') throwFrom(validateNumber, ERR_INVALID_ARG_TYPE, name, 'number', value);
  if ((min != null && value < min) || (max != null && value > max) ||
      ((min != null || max != null) && Number.isNaN(value))) {
    const lower = min != null ? `>= ${min}` : '';
    const upper = max != null ? `<= ${max}` : '';
    throwFrom(validateNumber, ERR_OUT_OF_RANGE, name, `${lower}${lower && upper ? ' && ' : ''}${upper}`, value);
  }
}

/** @returns {boolean} false when the value stands for "not given" (undefined, NaN) */
function validateFiniteNumber(value, name) {
  if (value === undefined) return false;
  if (Number.isFinite(value)) return true;
  if (Number.isNaN(value)) return false;
  validateNumber(value, name);
  return throwFrom(validateFiniteNumber, ERR_OUT_OF_RANGE, name, 'a finite number', value);
}

function checkRangesOrGetDefault(value, name, lower, upper, fallback) {
  if (!validateFiniteNumber(value, name)) return fallback;
  if (value < lower || value > upper) {
    throwFrom(checkRangesOrGetDefault, ERR_OUT_OF_RANGE, name, `>= ${lower} and <= ${upper}`, value);
  }
  return value;
}

function validateString(value, name) {
  if (typeof value !== 'string') throwFrom(validateString, ERR_INVALID_ARG_TYPE, name, 'string', value);
}

function validateBoolean(value, name) {
  if (typeof value !== 'boolean') throwFrom(validateBoolean, ERR_INVALID_ARG_TYPE, name, 'boolean', value);
}

function validateFunction(value, name) {
  if (typeof value !== 'function') throwFrom(validateFunction, ERR_INVALID_ARG_TYPE, name, 'function', value);
}

let utilBinding;
/** A function that is not an async function. */
function validatePlainFunction(value, name) {
  utilBinding ??= binding('types');
  if (typeof value !== 'function' || utilBinding.isAsyncFunction(value)) {
    throwFrom(validatePlainFunction, ERR_INVALID_ARG_TYPE, name, 'function', value);
  }
}

function validateUndefined(value, name) {
  if (value !== undefined) throwFrom(validateUndefined, ERR_INVALID_ARG_TYPE, name, 'undefined', value);
}

function validateUnion(value, name, union) {
  if (!union.includes(value)) {
    throwFrom(validateUnion, ERR_INVALID_ARG_TYPE, name, `('${union.join('|')}')`, value);
  }
}

function validateOneOf(value, name, oneOf) {
  if (oneOf.includes(value)) return;
  const allowed = oneOf.map((item) => (typeof item === 'string' ? `'${item}'` : String(item))).join(', ');
  throwFrom(validateOneOf, ERR_INVALID_ARG_VALUE, name, value, `must be one of: ${allowed}`);
}

const kValidateObjectNone = 0;
const kValidateObjectAllowNullable = 1;
const kValidateObjectAllowArray = 2;
const kValidateObjectAllowFunction = 4;
const kValidateObjectAllowObjects = kValidateObjectAllowArray | kValidateObjectAllowFunction;
const kValidateObjectAllowObjectsAndNull = kValidateObjectAllowObjects | kValidateObjectAllowNullable;

function objectFlags(options) {
  if (typeof options === 'number') return options;
  return (options.nullable ? kValidateObjectAllowNullable : 0) |
    (options.allowArray ? kValidateObjectAllowArray : 0) |
    (options.allowFunction ? kValidateObjectAllowFunction : 0);
}

/** @param {number | { nullable?: boolean, allowArray?: boolean, allowFunction?: boolean }} [options] */
function validateObject(value, name, options = kValidateObjectNone) {
  if (options === kValidateObjectNone) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
    throwFrom(validateObject, ERR_INVALID_ARG_TYPE, name, 'Object', value);
  }
  const flags = objectFlags(options);
  const isGood = value === null ? (flags & kValidateObjectAllowNullable) !== 0 :
    Array.isArray(value) ? (flags & kValidateObjectAllowArray) !== 0 :
      typeof value === 'function' ? (flags & kValidateObjectAllowFunction) !== 0 : typeof value === 'object';
  if (!isGood) throwFrom(validateObject, ERR_INVALID_ARG_TYPE, name, 'Object', value);
}

/** A WebIDL dictionary: null and undefined are empty ones. */
function validateDictionary(value, name) {
  if (value != null && typeof value !== 'object' && typeof value !== 'function') {
    throwFrom(validateDictionary, ERR_INVALID_ARG_TYPE, name, 'a dictionary', value);
  }
}

function validateArray(value, name, minLength = 0) {
  if (!Array.isArray(value)) throwFrom(validateArray, ERR_INVALID_ARG_TYPE, name, 'Array', value);
  if (value.length < minLength) {
    throwFrom(validateArray, ERR_INVALID_ARG_VALUE, name, value, `must be longer than ${minLength}`);
  }
}

function validateStringArray(value, name) {
  validateArray(value, name);
  for (let i = 0; i < value.length; i++) validateString(value[i], `${name}[${i}]`);
}

function validateBooleanArray(value, name) {
  validateArray(value, name);
  for (let i = 0; i < value.length; i++) validateBoolean(value[i], `${name}[${i}]`);
}

function validateAbortSignal(signal, name) {
  if (signal !== undefined && (signal === null || typeof signal !== 'object' || !('aborted' in signal))) {
    throwFrom(validateAbortSignal, ERR_INVALID_ARG_TYPE, name, 'AbortSignal', signal);
  }
}

function validateAbortSignalArray(value, name) {
  validateArray(value, name);
  for (let i = 0; i < value.length; i++) {
    const label = `${name}[${i}]`;
    if (value[i] == null) throwFrom(validateAbortSignalArray, ERR_INVALID_ARG_TYPE, label, 'AbortSignal', value[i]);
    validateAbortSignal(value[i], label);
  }
}

function validateBuffer(buffer, name = 'buffer') {
  if (!ArrayBuffer.isView(buffer)) {
    throwFrom(validateBuffer, ERR_INVALID_ARG_TYPE, name, ['Buffer', 'TypedArray', 'DataView'], buffer);
  }
}

/** Text of odd length is no hexadecimal. */
function validateEncoding(data, encoding) {
  if (typeof encoding === 'string' && encoding.length === 3 && encoding.toLowerCase() === 'hex' &&
      data.length % 2 !== 0) {
    throwFrom(validateEncoding, ERR_INVALID_ARG_VALUE, 'encoding', encoding,
      `is invalid for data of length ${data.length}`);
  }
}

/** @returns {number} the port as an integer */
function validatePort(port, name = 'Port', allowZero = true) {
  if ((typeof port !== 'number' && typeof port !== 'string') ||
      (typeof port === 'string' && port.trim().length === 0) ||
      +port !== (+port >>> 0) || port > 0xFFFF || (port === 0 && !allowZero)) {
    throwFrom(validatePort, ERR_SOCKET_BAD_PORT, name, port, allowZero);
  }
  return port | 0;
}

function validateSignalName(signal, name = 'signal') {
  validateString(signal, name);
  const { signals } = require('#internal/signals');
  if (signals[signal] !== undefined) return;
  const upper = signal.toUpperCase();
  const hint = signals[upper] !== undefined ? `${signal} (signals must use all capital letters)` : signal;
  throwFrom(validateSignalName, ERR_UNKNOWN_SIGNAL, hint);
}

/** @returns {number} the mode; octal text is parsed */
function parseFileMode(value, name, fallback = undefined) {
  value ??= fallback;
  if (typeof value === 'string') {
    if (!/^[0-7]+$/.test(value)) {
      throwFrom(parseFileMode, ERR_INVALID_ARG_VALUE, name, value,
        'must be a 32-bit unsigned integer or an octal string');
    }
    value = Number.parseInt(value, 8);
  }
  validateUint32(value, name);
  return value;
}

const kLinkValue = /^(?:<[^>]*>)(?:\s*;\s*[^;"\s]+(?:=(")?[^;"\s]*\1)?)*$/;
const kLinkReason = 'must be an array or string of format "</styles.css>; rel=preload; as=style"';

function checkLinkFormat(value, name) {
  if (value === undefined || !kLinkValue.test(value)) {
    throwFrom(validateLinkHeaderValue, ERR_INVALID_ARG_VALUE, name, value, kLinkReason);
  }
}

/** @returns {string} the value of a Link header */
function validateLinkHeaderValue(hints) {
  if (typeof hints === 'string') {
    checkLinkFormat(hints, 'hints');
    return hints;
  }
  if (!Array.isArray(hints)) throwFrom(validateLinkHeaderValue, ERR_INVALID_ARG_VALUE, 'hints', hints, kLinkReason);
  for (const link of hints) checkLinkFormat(link, 'hints');
  return hints.join(', ');
}

function validateThisInternalField(object, field, className) {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, field)) {
    throwFrom(validateThisInternalField, ERR_INVALID_THIS, className);
  }
}

module.exports = {
  checkRangesOrGetDefault,
  isInt32,
  isUint32,
  kValidateObjectAllowArray,
  kValidateObjectAllowFunction,
  kValidateObjectAllowNullable,
  kValidateObjectAllowObjects,
  kValidateObjectAllowObjectsAndNull,
  kValidateObjectNone,
  parseFileMode,
  validateAbortSignal,
  validateAbortSignalArray,
  validateArray,
  validateBoolean,
  validateBooleanArray,
  validateBuffer,
  validateDictionary,
  validateEncoding,
  validateFiniteNumber,
  validateFunction,
  validateInt32,
  validateInteger,
  validateLinkHeaderValue,
  validateNumber,
  validateObject,
  validateOneOf,
  validatePlainFunction,
  validatePort,
  validateSignalName,
  validateString,
  validateStringArray,
  validateThisInternalField,
  validateUint32,
  validateUndefined,
  validateUnion,
};

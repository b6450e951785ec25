'use strict';
// checkPrime and generatePrime.

const { Buffer } = require('buffer');
const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE },
} = require('#internal/errors');
const { kEmptyObject } = require('#internal/util');
const {
  validateBoolean, validateFunction, validateInt32, validateObject,
} = require('#internal/validators');
const { asBytes, isAnyArrayBuffer, kByteSourceTypes } = require('#crypto/util');

const native = binding('crypto');
const kBytesOrBigInt = [...kByteSourceTypes, 'bigint'];

/** The big-endian bytes of a number; views are taken as they are. */
function unsignedBytes(value, name) {
  if (typeof value !== 'bigint') {
    if (!ArrayBuffer.isView(value) && !isAnyArrayBuffer(value)) {
      throw new ERR_INVALID_ARG_TYPE(name, kBytesOrBigInt, value);
    }
    return asBytes(value);
  }
  if (value < 0) throw new ERR_OUT_OF_RANGE(name, '>= 0', value);
  let hex = value.toString(16);
  if (hex.length % 2 !== 0) hex = `0${hex}`;
  return Buffer.from(hex, 'hex');
}

function bitLength(bytes) {
  let i = 0;
  while (i < bytes.length && bytes[i] === 0) i++;
  return i === bytes.length ? 0 : (bytes.length - i) * 8 - Math.clz32(bytes[i]) + 24;
}

/** Options that no prime could ever meet are refused, where a search would not end. */
function checkAddAndRem(size, add, rem) {
  if (add === undefined) return;
  if (bitLength(add) > size) throw invalidRange('options.add');
  if (rem !== undefined) {
    const a = BigInt(`0x0${Buffer.from(add).toString('hex')}`);
    const r = BigInt(`0x0${Buffer.from(rem).toString('hex')}`);
    if (a <= r) throw invalidRange('options.rem');
  }
}

/** The message of this range error has its own wording. */
function invalidRange(name) {
  const error = new ERR_OUT_OF_RANGE(name, '', '');
  error.message = `invalid ${name}`;
  return error;
}

function resolvePrimeOptions(size, options) {
  validateInt32(size, 'size', 1);
  validateObject(options, 'options');
  const { safe = false, bigint = false } = options;
  let { add, rem } = options;
  validateBoolean(safe, 'options.safe');
  validateBoolean(bigint, 'options.bigint');
  if (add !== undefined) add = unsignedBytes(add, 'options.add');
  if (rem !== undefined) rem = unsignedBytes(rem, 'options.rem');
  checkAddAndRem(size, add, rem);
  return { size, safe, bigint, add, rem };
}

function toBigInt(buffer) {
  return BigInt(`0x${Buffer.from(buffer).toString('hex')}`);
}

function generatePrime(size, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = kEmptyObject;
  }
  validateFunction(callback, 'callback');
  const o = resolvePrimeOptions(size, options);
  native.generatePrime(o.size, o.safe, o.add, o.rem, (error, result) => {
    if (error) callback(error);
    else callback(undefined, o.bigint ? toBigInt(result) : result);
  });
}

function generatePrimeSync(size, options = kEmptyObject) {
  const o = resolvePrimeOptions(size, options);
  const result = native.generatePrime(o.size, o.safe, o.add, o.rem, undefined);
  return o.bigint ? toBigInt(result) : result;
}

function checksOf(options) {
  validateObject(options, 'options');
  const { checks = 0 } = options;
  // OpenSSL takes it as int.
  validateInt32(checks, 'options.checks', 0);
  return checks;
}

function candidateOf(candidate) {
  return unsignedBytes(candidate, 'candidate');
}

function checkPrime(candidate, options = kEmptyObject, callback) {
  candidate = candidateOf(candidate);
  if (typeof options === 'function') {
    callback = options;
    options = kEmptyObject;
  }
  validateFunction(callback, 'callback');
  const checks = checksOf(options);
  native.checkPrime(candidate, checks, (error, result) => {
    if (error) callback(error);
    else callback(null, result);
  });
}

function checkPrimeSync(candidate, options = kEmptyObject) {
  candidate = candidateOf(candidate);
  return native.checkPrime(candidate, checksOf(options), undefined);
}

module.exports = { checkPrime, checkPrimeSync, generatePrime, generatePrimeSync };

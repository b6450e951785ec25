'use strict';
// CryptoKey: WebCrypto's view of a key. https://w3c.github.io/webcrypto/#cryptokey-interface

const {
  codes: { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS },
} = require('#internal/errors');
const { customInspectSymbol } = require('#internal/util');

const kMake = Symbol('kMake');
let isCryptoKey;
let keyObjectOf;
let slotsOf;

class CryptoKey {
  #keyObject;
  #algorithm;
  #extractable;
  #usages;
  // What the getters show: copies, so that a program that changes them changes nothing here.
  #shownAlgorithm;
  #shownUsages;

  constructor(...given) {
    const [token, keyObject, algorithm, usages, extractable] = given;
    if (token !== kMake) throw new ERR_ILLEGAL_CONSTRUCTOR();
    this.#keyObject = keyObject;
    this.#algorithm = algorithm;
    this.#usages = usages;
    this.#extractable = extractable;
  }

  static {
    isCryptoKey = (value) => typeof value === 'object' && value !== null && #keyObject in value;
    keyObjectOf = (key) => key.#keyObject;
    slotsOf = (key) => ({ algorithm: key.#algorithm, usages: key.#usages, extractable: key.#extractable });
  }

  [customInspectSymbol](depth, options, inspect) {
    if (depth < 0) return this;
    const inner = { ...options, depth: options.depth === null ? null : options.depth - 1 };
    return `CryptoKey ${inspect({
      type: this.type, extractable: this.extractable, algorithm: this.#algorithm, usages: this.#usages,
    }, inner)}`;
  }

  get type() {
    if (!isCryptoKey(this)) throw new ERR_INVALID_THIS('CryptoKey');
    return this.#keyObject.type;
  }

  get extractable() {
    if (!isCryptoKey(this)) throw new ERR_INVALID_THIS('CryptoKey');
    return this.#extractable;
  }

  get algorithm() {
    if (!isCryptoKey(this)) throw new ERR_INVALID_THIS('CryptoKey');
    return this.#shownAlgorithm ??= copyAlgorithm(this.#algorithm);
  }

  get usages() {
    if (!isCryptoKey(this)) throw new ERR_INVALID_THIS('CryptoKey');
    return this.#shownUsages ??= [...this.#usages];
  }
}
const enumerable = { __proto__: null, enumerable: true };
Object.defineProperties(CryptoKey.prototype, {
  type: enumerable,
  extractable: enumerable,
  algorithm: enumerable,
  usages: enumerable,
  [Symbol.toStringTag]: { __proto__: null, configurable: true, value: 'CryptoKey' },
});

require('#crypto/key_clone').makeCryptoKeyCloneable(CryptoKey, (key) => keyObjectOf(key), (key) => slotsOf(key));

function copyAlgorithm(algorithm) {
  const copy = { ...algorithm };
  if (copy.hash !== undefined) copy.hash = { ...copy.hash };
  if (copy.publicExponent !== undefined) copy.publicExponent = new Uint8Array(copy.publicExponent);
  return copy;
}

/** Usages in the order of the specification, without doubles. */
const kUsageOrder = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey',
  'encapsulateKey', 'encapsulateBits', 'decapsulateKey', 'decapsulateBits'];

function makeCryptoKey(keyObject, algorithm, usages, extractable) {
  const given = new Set(usages);
  return new CryptoKey(kMake, keyObject, algorithm, kUsageOrder.filter((usage) => given.has(usage)),
    Boolean(extractable));
}

module.exports = {
  CryptoKey,
  isCryptoKey: (value) => isCryptoKey(value),
  keyObjectOf: (key) => keyObjectOf(key),
  makeCryptoKey,
  slotsOf: (key) => slotsOf(key),
};

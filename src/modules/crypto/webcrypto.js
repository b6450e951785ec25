'use strict';
// The global `crypto`: the classes Crypto and SubtleCrypto. The latter's work is in subtle.js, loaded on first use.

const {
  codes: { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS },
} = require('#internal/errors');
const { CryptoKey } = require('#crypto/crypto_key');
const random = require('#crypto/random');

const kMake = Symbol('kMake');
let isSubtleCrypto;
let isCrypto;

const subtleImpl = () => require('#crypto/subtle');

function checkSubtle(self) {
  if (!isSubtleCrypto(self)) throw new ERR_INVALID_THIS('SubtleCrypto');
}

/** https://w3c.github.io/webcrypto/#subtlecrypto-interface */
class SubtleCrypto {
  // Marks what SubtleCrypto made.
  #brand;

  constructor() {
    if (arguments[0] !== kMake) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  static {
    isSubtleCrypto = (value) => typeof value === 'object' && value !== null && #brand in value;
  }

  static supports(operation, algorithm, lengthOrAdditionalAlgorithm = null) {
    if (this !== SubtleCrypto) throw new ERR_INVALID_THIS('SubtleCrypto constructor');
    return subtleImpl().supports(operation, algorithm, lengthOrAdditionalAlgorithm, arguments.length);
  }

  async encrypt(algorithm, key, data) {
    checkSubtle(this);
    return subtleImpl().encrypt(arguments.length, algorithm, key, data);
  }

  async decrypt(algorithm, key, data) {
    checkSubtle(this);
    return subtleImpl().decrypt(arguments.length, algorithm, key, data);
  }

  async sign(algorithm, key, data) {
    checkSubtle(this);
    return subtleImpl().sign(arguments.length, algorithm, key, data);
  }

  async verify(algorithm, key, signature, data) {
    checkSubtle(this);
    return subtleImpl().verify(arguments.length, algorithm, key, signature, data);
  }

  async digest(algorithm, data) {
    checkSubtle(this);
    return subtleImpl().digest(arguments.length, algorithm, data);
  }

  async generateKey(algorithm, extractable, keyUsages) {
    checkSubtle(this);
    return subtleImpl().generateKey(arguments.length, algorithm, extractable, keyUsages);
  }

  async deriveKey(algorithm, baseKey, derivedKeyType, extractable, keyUsages) {
    checkSubtle(this);
    return subtleImpl().deriveKey(arguments.length, algorithm, baseKey, derivedKeyType, extractable, keyUsages);
  }

  async deriveBits(algorithm, baseKey, length = null) {
    checkSubtle(this);
    return subtleImpl().deriveBits(arguments.length, algorithm, baseKey, length);
  }

  async importKey(format, keyData, algorithm, extractable, keyUsages) {
    checkSubtle(this);
    return subtleImpl().importKey(arguments.length, format, keyData, algorithm, extractable, keyUsages);
  }

  async exportKey(format, key) {
    checkSubtle(this);
    return subtleImpl().exportKey(arguments.length, format, key);
  }

  async wrapKey(format, key, wrappingKey, wrapAlgorithm) {
    checkSubtle(this);
    return subtleImpl().wrapKey(arguments.length, format, key, wrappingKey, wrapAlgorithm);
  }

  async unwrapKey(format, wrappedKey, unwrappingKey, unwrapAlgorithm, unwrappedKeyAlgorithm, extractable,
    keyUsages) {
    checkSubtle(this);
    return subtleImpl().unwrapKey(arguments.length, format, wrappedKey, unwrappingKey, unwrapAlgorithm,
      unwrappedKeyAlgorithm, extractable, keyUsages);
  }

  async getPublicKey(key, keyUsages) {
    checkSubtle(this);
    return subtleImpl().getPublicKey(arguments.length, key, keyUsages);
  }

  async encapsulateBits(encapsulationAlgorithm, encapsulationKey) {
    checkSubtle(this);
    return subtleImpl().encapsulate('encapsulateBits', arguments.length, 2, encapsulationKey);
  }

  async encapsulateKey(encapsulationAlgorithm, encapsulationKey, sharedKeyAlgorithm, extractable, usages) {
    checkSubtle(this);
    return subtleImpl().encapsulate('encapsulateKey', arguments.length, 5, encapsulationKey);
  }

  async decapsulateBits(decapsulationAlgorithm, decapsulationKey, ciphertext) {
    checkSubtle(this);
    return subtleImpl().encapsulate('decapsulateBits', arguments.length, 3, decapsulationKey);
  }

  async decapsulateKey(decapsulationAlgorithm, decapsulationKey, ciphertext, sharedKeyAlgorithm, extractable, usages) {
    checkSubtle(this);
    return subtleImpl().encapsulate('decapsulateKey', arguments.length, 6, decapsulationKey);
  }
}

/** https://w3c.github.io/webcrypto/#crypto-interface */
class Crypto {
  #subtle;

  constructor() {
    if (arguments[0] !== kMake) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  static {
    isCrypto = (value) => typeof value === 'object' && value !== null && #subtle in value;
  }

  get subtle() {
    if (!isCrypto(this)) throw new ERR_INVALID_THIS('Crypto');
    return this.#subtle ??= new SubtleCrypto(kMake);
  }

  getRandomValues(array) {
    if (!isCrypto(this)) throw new ERR_INVALID_THIS('Crypto');
    if (arguments.length === 0) throw missingArgument('Crypto', 'getRandomValues');
    return random.getRandomValues(array);
  }

  randomUUID(options = undefined) {
    if (!isCrypto(this)) throw new ERR_INVALID_THIS('Crypto');
    return random.randomUUID(options);
  }
}

function missingArgument(interfaceName, method) {
  const { codes: { ERR_MISSING_ARGS } } = require('#internal/errors');
  const error = new ERR_MISSING_ARGS('array');
  error.message = `Failed to execute '${method}' on '${interfaceName}': 1 argument required, but only 0 present.`;
  return error;
}

function showMembers(Class, names) {
  for (const name of names) Object.defineProperty(Class.prototype, name, { __proto__: null, enumerable: true });
  Object.defineProperty(Class.prototype, Symbol.toStringTag,
    { __proto__: null, configurable: true, value: Class.name });
}
showMembers(SubtleCrypto, Object.getOwnPropertyNames(SubtleCrypto.prototype).filter((n) => n !== 'constructor'));
showMembers(Crypto, ['subtle', 'getRandomValues', 'randomUUID']);

module.exports = { Crypto, CryptoKey, SubtleCrypto, crypto: new Crypto(kMake) };

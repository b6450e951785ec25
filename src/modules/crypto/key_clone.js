'use strict';
// Keys in the structured clone algorithm: what a message to another thread carries. A copy holds the same key; whether
// it may be exported stays what it was.

const { clone, kCloneable, setTransferMode } = require('#web/transferable');

/** What makes the key again, in this process only. */
function stateOf(keyObject) {
  switch (keyObject.type) {
    case 'secret': return { type: 'secret', bytes: keyObject.export() };
    case 'public': return { type: 'public', bytes: keyObject.export({ format: 'der', type: 'spki' }) };
    default: return { type: 'private', bytes: keyObject.export({ format: 'der', type: 'pkcs8' }) };
  }
}

function deserializeKey({ type, bytes }) {
  const { createPrivateKey, createPublicKey, createSecretKey } = require('#crypto/keys');
  switch (type) {
    case 'secret': return createSecretKey(bytes);
    case 'public': return createPublicKey({ key: bytes, format: 'der', type: 'spki' });
    default: return createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
  }
}

function deserializeCryptoKey({ key, algorithm, usages, extractable }) {
  return require('#crypto/crypto_key').makeCryptoKey(deserializeKey(key), algorithm, usages, extractable);
}

function makeKeyObjectCloneable(KeyObject) {
  setTransferMode(KeyObject.prototype, kCloneable);
  KeyObject.prototype[clone] = { [clone]() {
    return ['KeyObject', stateOf(this)];
  } }[clone];
  Object.defineProperty(KeyObject.prototype, clone, { __proto__: null, enumerable: false });
}

function makeCryptoKeyCloneable(CryptoKey, keyObjectOf, slotsOf) {
  setTransferMode(CryptoKey.prototype, kCloneable);
  CryptoKey.prototype[clone] = { [clone]() {
    return ['CryptoKey', { ...slotsOf(this), key: stateOf(keyObjectOf(this)) }];
  } }[clone];
  Object.defineProperty(CryptoKey.prototype, clone, { __proto__: null, enumerable: false });
}

module.exports = { deserializeCryptoKey, deserializeKey, makeCryptoKeyCloneable, makeKeyObjectCloneable };

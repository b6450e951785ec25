'use strict';
// Key encapsulation: encapsulate() and decapsulate(). Of the keys that OpenSSL 3.0 has, only RSA's can.

const { Buffer } = require('buffer');
const { validateFunction } = require('#internal/validators');
const { preparePrivateKey, preparePublicOrPrivateKey } = require('#crypto/keys');
const { asBytes, getArrayBufferOrView } = require('#crypto/util');

const native = binding('crypto_keygen');

function toPair([sharedKey, ciphertext]) {
  return { sharedKey: Buffer.from(sharedKey), ciphertext: Buffer.from(ciphertext) };
}

/** A fresh secret, and what tells it to the owner of the private key. */
function encapsulate(key, callback) {
  if (callback !== undefined) validateFunction(callback, 'callback');
  const handle = preparePublicOrPrivateKey(key);
  if (callback === undefined) return toPair(native.kem(handle, undefined, undefined));
  native.kem(handle, undefined, (error, result) => {
    if (error) callback(error);
    else callback(null, toPair(result));
  });
}

function decapsulate(key, ciphertext, callback) {
  if (callback !== undefined) validateFunction(callback, 'callback');
  const handle = preparePrivateKey(key);
  ciphertext = asBytes(getArrayBufferOrView(ciphertext, 'ciphertext'));
  if (callback === undefined) return Buffer.from(native.kem(handle, ciphertext, undefined));
  native.kem(handle, ciphertext, (error, result) => {
    if (error) callback(new Error('Deriving bits failed'));
    else callback(null, Buffer.from(result));
  });
}

module.exports = { decapsulate, encapsulate };

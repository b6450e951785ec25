'use strict';
// What the members of an algorithm must be beyond their types: lengths of nonces, tags, counters and keys. Checked when
// an algorithm is read, so that SubtleCrypto.supports() knows it too.

const { lazyDOMException } = require('#internal/util');

const operationError = (message) => lazyDOMException(message, 'OperationError');
const notSupported = (message) => lazyDOMException(message, 'NotSupportedError');

const kMaxBytes = 2 ** 31 - 1;

function exactly(bytes, length, name) {
  if (bytes.byteLength !== length) throw operationError(`algorithm.${name} must contain exactly ${length} bytes`);
}

/** Octets of the tag of an authenticated cipher. */
function tagBytes({ name, tagLength }) {
  if (tagLength === undefined) return 16;
  let allowed = [32, 64, 96, 104, 112, 120, 128];
  if (name === 'AES-OCB') allowed = [64, 96, 128];
  if (name === 'ChaCha20-Poly1305') allowed = [128];
  if (!allowed.includes(tagLength)) throw operationError(`${tagLength} is not a valid ${name} tag length`);
  return tagLength / 8;
}

function checkCipher(algorithm) {
  const { name, iv } = algorithm;
  switch (name) {
    case 'AES-CBC': exactly(iv, 16, 'iv'); break;
    case 'AES-CTR':
      exactly(algorithm.counter, 16, 'counter');
      if (algorithm.length === 0 || algorithm.length > 128) {
        throw operationError('AES-CTR algorithm.length must be between 1 and 128');
      }
      break;
    case 'AES-GCM':
      if (iv.byteLength < 1 || iv.byteLength > kMaxBytes) throw operationError('algorithm.iv must not be empty');
      tagBytes(algorithm);
      break;
    case 'AES-OCB':
      if (iv.byteLength < 1 || iv.byteLength > 15) {
        throw operationError('AES-OCB algorithm.iv must be no more than 15 bytes');
      }
      tagBytes(algorithm);
      break;
    case 'ChaCha20-Poly1305':
      exactly(iv, 12, 'iv');
      tagBytes(algorithm);
      break;
  }
}

const kAesLengths = [128, 192, 256];
const kCurves = ['P-256', 'P-384', 'P-521'];

function checkKey(algorithm, operation) {
  const { name, length, namedCurve } = algorithm;
  if (name.startsWith('AES') && length !== undefined && !kAesLengths.includes(length)) {
    throw operationError('AES key length must be 128, 192, or 256 bits');
  }
  if ((name === 'ECDSA' || name === 'ECDH') && namedCurve !== undefined && !kCurves.includes(namedCurve)) {
    throw notSupported('Unrecognized namedCurve');
  }
  if ((name === 'HMAC' || name.startsWith('KMAC')) && length !== undefined) {
    const dictionary = `${name === 'HMAC' ? 'Hmac' : 'Kmac'}${operation === 'importKey' ? 'Import' : 'KeyGen'}Params`;
    if (length === 0) {
      throw lazyDOMException(`${dictionary}.length cannot be 0`, operation === 'importKey' ? 'DataError' :
        'OperationError');
    }
    if (length % 8 !== 0) throw notSupported(`Unsupported ${dictionary}.length`);
  }
}

function check(algorithm, operation) {
  switch (operation) {
    case 'encrypt': case 'decrypt': checkCipher(algorithm); break;
    case 'generateKey': case 'importKey': case 'get key length': checkKey(algorithm, operation); break;
  }
}

module.exports = { check, tagBytes };

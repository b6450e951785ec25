'use strict';
// X509Certificate and Certificate (SPKAC).

const { Buffer } = require('buffer');
const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE },
} = require('#internal/errors');
const { customInspectSymbol, kEmptyObject } = require('#internal/util');
const { validateBoolean, validateObject, validateString } = require('#internal/validators');
const { isKeyObject, wrapKey } = require('#crypto/keys');
const { asBytes, getArrayBufferOrView, isAnyArrayBuffer, kHandle } = require('#crypto/util');

const native = binding('crypto_x509');

// The numbers of fields of the native side.
const kFields = {
  __proto__: null,
  subject: 0,
  subjectAltName: 1,
  issuer: 2,
  infoAccess: 3,
  validFrom: 4,
  validTo: 5,
  fingerprint: 6,
  fingerprint256: 7,
  fingerprint512: 8,
  keyUsage: 9,
  serialNumber: 10,
  signatureAlgorithm: 11,
  signatureAlgorithmOid: 12,
};

// Flags of OpenSSL's x509v3.h.
const kAlwaysCheckSubject = 1;
const kNoWildcards = 2;
const kNoPartialWildcards = 4;
const kMultiLabelWildcards = 8;
const kSingleLabelSubdomains = 16;
const kNeverCheckSubject = 32;

const kCache = Symbol('kCache');

function nameFlags(options) {
  validateObject(options, 'options');
  const {
    subject = 'default', wildcards = true, partialWildcards = true, multiLabelWildcards = false,
    singleLabelSubdomains = false,
  } = options;
  validateString(subject, 'options.subject');
  validateBoolean(wildcards, 'options.wildcards');
  validateBoolean(partialWildcards, 'options.partialWildcards');
  validateBoolean(multiLabelWildcards, 'options.multiLabelWildcards');
  validateBoolean(singleLabelSubdomains, 'options.singleLabelSubdomains');
  let flags = 0;
  switch (subject) {
    case 'default': break;
    case 'always': flags |= kAlwaysCheckSubject; break;
    case 'never': flags |= kNeverCheckSubject; break;
    default: throw new ERR_INVALID_ARG_VALUE('options.subject', subject);
  }
  if (!wildcards) flags |= kNoWildcards;
  if (!partialWildcards) flags |= kNoPartialWildcards;
  if (multiLabelWildcards) flags |= kMultiLabelWildcards;
  if (singleLabelSubdomains) flags |= kSingleLabelSubdomains;
  return flags;
}

/** The field of a certificate, read once. */
function field(certificate, name) {
  const cache = certificate[kCache];
  if (!cache.has(name)) cache.set(name, certificate[kHandle].field(kFields[name]));
  return cache.get(name);
}

class X509Certificate {
  constructor(buffer) {
    if (typeof buffer === 'string') buffer = Buffer.from(buffer);
    if (buffer instanceof native.X509Handle) {
      this.#init(buffer);
      return;
    }
    if (!ArrayBuffer.isView(buffer) && !isAnyArrayBuffer(buffer)) {
      throw new ERR_INVALID_ARG_TYPE('buffer', ['string', 'Buffer', 'TypedArray', 'DataView'], buffer);
    }
    this.#init(native.parse(asBytes(buffer)));
  }

  #init(handle) {
    Object.defineProperty(this, kHandle, { __proto__: null, value: handle });
    Object.defineProperty(this, kCache, { __proto__: null, value: new Map() });
  }

  [customInspectSymbol](depth, options, inspect) {
    if (depth < 0) return this;
    const inner = { ...options, depth: options.depth === null ? null : options.depth - 1 };
    const {
      subject, subjectAltName, issuer, infoAccess, validFrom, validTo, validFromDate, validToDate, fingerprint,
      fingerprint256, fingerprint512, keyUsage, serialNumber, signatureAlgorithm, signatureAlgorithmOid,
    } = this;
    return `X509Certificate ${inspect({
      subject, subjectAltName, issuer, infoAccess, validFrom, validTo, validFromDate, validToDate, fingerprint,
      fingerprint256, fingerprint512, keyUsage, serialNumber, signatureAlgorithm, signatureAlgorithmOid,
    }, inner)}`;
  }

  get subject() {
    return field(this, 'subject');
  }

  get subjectAltName() {
    return field(this, 'subjectAltName');
  }

  get issuer() {
    return field(this, 'issuer');
  }

  get issuerCertificate() {
    return this[kCache].get('issuerCertificate');
  }

  get infoAccess() {
    return field(this, 'infoAccess');
  }

  get validFrom() {
    return field(this, 'validFrom');
  }

  get validTo() {
    return field(this, 'validTo');
  }

  get validFromDate() {
    return new Date(this.validFrom);
  }

  get validToDate() {
    return new Date(this.validTo);
  }

  get fingerprint() {
    return field(this, 'fingerprint');
  }

  get fingerprint256() {
    return field(this, 'fingerprint256');
  }

  get fingerprint512() {
    return field(this, 'fingerprint512');
  }

  get keyUsage() {
    return field(this, 'keyUsage');
  }

  get serialNumber() {
    return field(this, 'serialNumber');
  }

  get signatureAlgorithm() {
    return field(this, 'signatureAlgorithm');
  }

  get signatureAlgorithmOid() {
    return field(this, 'signatureAlgorithmOid');
  }

  get raw() {
    const cache = this[kCache];
    if (!cache.has('raw')) cache.set('raw', this[kHandle].raw());
    return cache.get('raw');
  }

  get publicKey() {
    const cache = this[kCache];
    if (!cache.has('publicKey')) cache.set('publicKey', wrapKey(this[kHandle].publicKey()));
    return cache.get('publicKey');
  }

  toString() {
    const cache = this[kCache];
    if (!cache.has('pem')) cache.set('pem', this[kHandle].pem());
    return cache.get('pem');
  }

  // There is no standard JSON form of a certificate: the PEM text stands for it.
  toJSON() {
    return this.toString();
  }

  get ca() {
    return this[kHandle].checkCA();
  }

  checkHost(name, options = kEmptyObject) {
    validateString(name, 'name');
    return this[kHandle].checkName(0, name, nameFlags(options));
  }

  checkEmail(email, options = kEmptyObject) {
    validateString(email, 'email');
    return this[kHandle].checkName(1, email, nameFlags(options));
  }

  checkIP(ip, options = kEmptyObject) {
    validateString(ip, 'ip');
    // The options are only checked: none of them is about addresses.
    nameFlags(options);
    return this[kHandle].checkName(2, ip, 0);
  }

  checkIssued(otherCert) {
    if (!isX509Certificate(otherCert)) throw new ERR_INVALID_ARG_TYPE('otherCert', 'X509Certificate', otherCert);
    return this[kHandle].checkIssued(otherCert[kHandle]);
  }

  checkPrivateKey(pkey) {
    if (!isKeyObject(pkey)) throw new ERR_INVALID_ARG_TYPE('pkey', 'KeyObject', pkey);
    if (pkey.type !== 'private') throw new ERR_INVALID_ARG_VALUE('pkey', pkey);
    return this[kHandle].checkPrivateKey(pkey[kHandle]);
  }

  verify(pkey) {
    if (!isKeyObject(pkey)) throw new ERR_INVALID_ARG_TYPE('pkey', 'KeyObject', pkey);
    if (pkey.type !== 'public') throw new ERR_INVALID_ARG_VALUE('pkey', pkey);
    return this[kHandle].verify(pkey[kHandle]);
  }

  toLegacyObject() {
    return this[kHandle].toLegacy();
  }
}
/** Of a peer's certificate, the next of the chain that it sent. */
function setIssuer(certificate, issuer) {
  certificate[kCache].set('issuerCertificate', issuer);
}

function isX509Certificate(value) {
  return value instanceof X509Certificate && value[kHandle] !== undefined;
}

// --- SPKAC ---

function spkacBytes(spkac, encoding) {
  const bytes = asBytes(getArrayBufferOrView(spkac, 'spkac', encoding));
  if (bytes.byteLength > 0x7fffffff) throw new ERR_OUT_OF_RANGE('spkac', '<= 2147483647', bytes.byteLength);
  return bytes;
}

function verifySpkac(spkac, encoding) {
  return native.verifySpkac(spkacBytes(spkac, encoding));
}

function exportPublicKey(spkac, encoding) {
  const key = native.spkacPublicKey(spkacBytes(spkac, encoding));
  return key.length === 0 ? '' : key;
}

function exportChallenge(spkac, encoding) {
  const challenge = native.spkacChallenge(spkacBytes(spkac, encoding));
  return challenge.length === 0 ? '' : challenge;
}

// The methods are static, and on instances for programs of old.
function Certificate() {
  if (!(this instanceof Certificate)) return new Certificate();
}
Object.assign(Certificate.prototype, { verifySpkac, exportPublicKey, exportChallenge });
Certificate.exportChallenge = exportChallenge;
Certificate.exportPublicKey = exportPublicKey;
Certificate.verifySpkac = verifySpkac;

module.exports = { Certificate, X509Certificate, isX509Certificate, setIssuer };

'use strict';
// tls.createSecureContext(): keys, certificates, ciphers and limits that connections share.

const { Buffer } = require('buffer');
const {
  codes: {
    ERR_CRYPTO_CUSTOM_ENGINE_NOT_SUPPORTED, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE,
    ERR_TLS_INVALID_PROTOCOL_VERSION, ERR_TLS_PROTOCOL_VERSION_CONFLICT,
  },
} = require('#internal/errors');
const { kEmptyObject } = require('#internal/util');
const { validateBuffer, validateInt32, validateInteger, validateObject, validateString } =
  require('#internal/validators');

const native = binding('tls');

const kVersions = { '__proto__': null, 'TLSv1': 0x301, 'TLSv1.1': 0x302, 'TLSv1.2': 0x303, 'TLSv1.3': 0x304 };
const SSL_OP_CIPHER_SERVER_PREFERENCE = 0x400000;

function toVersion(which, value, fallback) {
  value ??= fallback;
  const version = kVersions[value];
  if (version === undefined) throw new ERR_TLS_INVALID_PROTOCOL_VERSION(value, which);
  return version;
}

function SecureContext(secureProtocol, secureOptions, minVersion, maxVersion) {
  if (!(this instanceof SecureContext)) {
    return new SecureContext(secureProtocol, secureOptions, minVersion, maxVersion);
  }
  if (secureProtocol) {
    if (minVersion !== undefined && minVersion !== null) {
      throw new ERR_TLS_PROTOCOL_VERSION_CONFLICT(minVersion, secureProtocol);
    }
    if (maxVersion !== undefined && maxVersion !== null) {
      throw new ERR_TLS_PROTOCOL_VERSION_CONFLICT(maxVersion, secureProtocol);
    }
  }
  const tls = require('tls');
  const min = toVersion('minimum', minVersion, tls.DEFAULT_MIN_VERSION);
  const max = toVersion('maximum', maxVersion, tls.DEFAULT_MAX_VERSION);
  this.context = new native.SecureContext(secureProtocol ? `${secureProtocol}` : undefined, min, max);
  if (secureOptions) {
    validateInteger(secureOptions, 'secureOptions');
    this.context.setOptions(secureOptions);
  }
}

function validateKeyOrCert(value, name) {
  if (typeof value !== 'string' && !ArrayBuffer.isView(value)) {
    throw new ERR_INVALID_ARG_TYPE(name, ['string', 'Buffer', 'TypedArray', 'DataView'], value);
  }
}

const listOf = (value) => (Array.isArray(value) ? value : [value]);

function addKeys(context, options, name) {
  const { key, passphrase } = options;
  if (!key) return;
  const several = Array.isArray(key);
  for (const entry of listOf(key)) {
    // Only in a list may a key come with a passphrase of its own.
    const pem = several ? entry?.pem ?? entry : entry;
    const pass = (several ? entry?.passphrase : undefined) ?? passphrase;
    validateKeyOrCert(pem, `${name}.key`);
    if (pass !== undefined && pass !== null) validateString(pass, `${name}.passphrase`);
    context.setKey(pem, pass ?? undefined);
  }
}

/** Splits the names of TLS 1.3's suites from the list for older versions. */
function splitCiphers(ciphers, name) {
  if (ciphers !== undefined && ciphers !== null) validateString(ciphers, name);
  const suites = [];
  const older = [];
  for (const cipher of (ciphers || require('tls').DEFAULT_CIPHERS).split(':')) {
    if (cipher.length === 0) continue;
    if (cipher.startsWith('TLS_')) suites.push(cipher);
    else if (cipher.startsWith('!TLS_')) {
      const at = suites.indexOf(cipher.slice(1));
      if (at >= 0) suites.splice(at, 1);
    } else older.push(cipher);
  }
  return { suites: suites.join(':'), list: older.join(':') };
}

function setCiphers(context, options, name) {
  const { ciphers } = options;
  const { suites, list } = splitCiphers(ciphers, `${name}.ciphers`);
  if (suites === '' && list === '') {
    throw new ERR_INVALID_ARG_VALUE(`${name}.ciphers`, ciphers);
  }
  // TLS 1.3's suites stay what they are by default where only older ciphers are named.
  if (suites !== '') context.setCipherSuites(suites);
  context.setCiphers(list);
  // A version without a suite of its own would make every handshake fail.
  const { minVersion, maxVersion, secureProtocol } = options;
  const tls = require('tls');
  const min = secureProtocol ? 0 : kVersions[minVersion ?? tls.DEFAULT_MIN_VERSION];
  const max = secureProtocol ? kVersions['TLSv1.3'] : kVersions[maxVersion ?? tls.DEFAULT_MAX_VERSION];
  const is12 = kVersions['TLSv1.2'];
  const is13 = kVersions['TLSv1.3'];
  if (list === '' && min < is13 && max > is12 && takesVersions(secureProtocol)) context.setProtocols(is13, max);
}

/** False for methods that stand for one version. */
function takesVersions(secureProtocol) {
  return !secureProtocol || /^TLS_/.test(secureProtocol);
}

function setDiffieHellman(context, options, name) {
  const { dhparam, ecdhCurve } = options;
  const curve = ecdhCurve === undefined ? require('tls').DEFAULT_ECDH_CURVE : ecdhCurve;
  validateString(curve, `${name}.ecdhCurve`);
  context.setECDHCurve(curve);
  if (dhparam === undefined || dhparam === null) return;
  if (dhparam !== 'auto') validateKeyOrCert(dhparam, `${name}.dhparam`);
  const warning = context.setDHParam(dhparam === 'auto' || dhparam);
  if (warning) process.emitWarning(warning, 'SecurityWarning');
}

function addPkcs12(context, options, name) {
  const { pfx, passphrase } = options;
  if (pfx === undefined || pfx === null) return;
  for (const entry of listOf(pfx)) {
    const raw = entry?.buf ?? entry;
    const pass = entry?.passphrase ?? passphrase;
    const bytes = typeof raw === 'string' ? Buffer.from(raw) : raw;
    validateKeyOrCert(bytes, `${name}.pfx`);
    context.loadPKCS12(bytes, pass === undefined || pass === null ? undefined : `${pass}`);
  }
}

function setSessions(context, options, name) {
  const { sessionIdContext, ticketKeys, sessionTimeout } = options;
  if (sessionIdContext !== undefined && sessionIdContext !== null) {
    validateString(sessionIdContext, `${name}.sessionIdContext`);
    context.setSessionIdContext(sessionIdContext);
  }
  if (ticketKeys !== undefined && ticketKeys !== null) {
    validateBuffer(ticketKeys, `${name}.ticketKeys`);
    if (ticketKeys.byteLength !== 48) {
      throw new ERR_INVALID_ARG_VALUE(`${name}.ticketKeys`, ticketKeys.byteLength, 'must be exactly 48 bytes');
    }
    context.setTicketKeys(ticketKeys);
  }
  if (sessionTimeout !== undefined && sessionTimeout !== null) {
    validateInt32(sessionTimeout, `${name}.sessionTimeout`, 0);
    context.setSessionTimeout(sessionTimeout);
  }
}

/** Everything but the protocol of a context. */
function configure(context, options = kEmptyObject, name = 'options') {
  validateObject(options, name);
  const {
    ca, cert, crl, sigalgs, allowPartialTrustChain, clientCertEngine, privateKeyEngine, privateKeyIdentifier,
  } = options;
  // First of all: @SECLEVEL=n in the list decides which keys and certificates are good enough.
  setCiphers(context, options, name);
  if (ca) {
    for (const entry of listOf(ca)) {
      validateKeyOrCert(entry, `${name}.ca`);
      context.addCACert(entry);
    }
  } else {
    require('#tls/roots').addDefaults(context);
  }
  if (allowPartialTrustChain) context.setAllowPartialTrustChain();
  if (cert) {
    for (const entry of listOf(cert)) {
      validateKeyOrCert(entry, `${name}.cert`);
      context.setCert(entry);
    }
  }
  // The certificate first: a key is checked against it.
  addKeys(context, options, name);
  if (sigalgs !== undefined && sigalgs !== null) {
    validateString(sigalgs, `${name}.sigalgs`);
    if (sigalgs === '') throw new ERR_INVALID_ARG_VALUE(`${name}.sigalgs`, sigalgs);
    context.setSigalgs(sigalgs);
  }
  if ((privateKeyEngine ?? privateKeyIdentifier ?? undefined) !== undefined) {
    for (const [part, value] of Object.entries({ privateKeyEngine, privateKeyIdentifier })) {
      if (value === undefined || value === null || typeof value === 'string') continue;
      throw new ERR_INVALID_ARG_TYPE(`${name}.${part}`, ['string', 'null', 'undefined'], value);
    }
    throw new ERR_CRYPTO_CUSTOM_ENGINE_NOT_SUPPORTED();
  }
  setDiffieHellman(context, options, name);
  if (crl !== undefined && crl !== null) {
    for (const entry of listOf(crl)) {
      validateKeyOrCert(entry, `${name}.crl`);
      context.addCRL(entry);
    }
  }
  addPkcs12(context, options, name);
  if (clientCertEngine !== undefined && clientCertEngine !== null) {
    if (typeof clientCertEngine !== 'string') {
      throw new ERR_INVALID_ARG_TYPE(`${name}.clientCertEngine`, ['string', 'null', 'undefined'], clientCertEngine);
    }
    context.setClientCertEngine(clientCertEngine);
  }
  setSessions(context, options, name);
}

function createSecureContext(options) {
  options ||= {};
  const { honorCipherOrder, minVersion, maxVersion, secureProtocol } = options;
  let { secureOptions } = options;
  if (honorCipherOrder) secureOptions |= SSL_OP_CIPHER_SERVER_PREFERENCE;
  const secureContext = new SecureContext(secureProtocol, secureOptions, minVersion, maxVersion);
  configure(secureContext.context, options, 'options');
  return secureContext;
}

module.exports = { SecureContext, createSecureContext, kVersions };

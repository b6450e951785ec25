'use strict';
// Authorities that are trusted when a program names none, and tls.getCACertificates().

const { Buffer } = require('buffer');
const {
  codes: { ERR_CRYPTO_OPERATION_FAILED, ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');
const { validateArray, validateOneOf, validateString } = require('#internal/validators');

const native = binding('tls');

let bundled;
/** PEM texts of the system's authorities. */
function rootCertificates() {
  return bundled ??= Object.freeze(native.getRootCertificates());
}

let extra;
/** Those of NODE_EXTRA_CA_CERTS. */
function extraCertificates() {
  if (extra !== undefined) return extra;
  extra = [];
  const path = process.env.NODE_EXTRA_CA_CERTS;
  if (path) {
    try {
      const text = require('fs').readFileSync(path, 'latin1');
      extra = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)?.map((pem) => `${pem}\n`) ?? [];
    } catch (error) {
      const reason = require('util').getSystemErrorMessage(error.errno);
      process.emitWarning(`Ignoring extra certs from \`${path}\`, load failed: ` +
        `${reason[0].toUpperCase()}${reason.slice(1)}`);
    }
  }
  return extra;
}

let defaults; // set by setDefaultCACertificates()
let given; // what getCACertificates('default') answers

function addDefaults(context) {
  if (defaults !== undefined) {
    for (const pem of defaults) context.addCACert(pem);
    return;
  }
  context.addRootCerts();
  for (const pem of extraCertificates()) context.addCACert(pem);
}

function getCACertificates(type = 'default') {
  validateString(type, 'type');
  validateOneOf(type, 'type', ['default', 'system', 'bundled', 'extra']);
  switch (type) {
    case 'default': return given ??= Object.freeze(defaults ?? [...rootCertificates(), ...extraCertificates()]);
    case 'extra': return Object.freeze(extraCertificates());
    default: return rootCertificates();
  }
}
Object.defineProperty(getCACertificates, 'length', { __proto__: null, value: 0, configurable: true });

function setDefaultCACertificates(certs) {
  validateArray(certs, 'certs');
  const list = [];
  certs.forEach((cert, i) => {
    if (typeof cert !== 'string' && !ArrayBuffer.isView(cert)) {
      throw new ERR_INVALID_ARG_TYPE(`certs[${i}]`, ['string', 'ArrayBufferView'], cert);
    }
    list.push(typeof cert === 'string' ? cert : Buffer.from(cert.buffer, cert.byteOffset, cert.byteLength).toString());
  });
  const { X509Certificate } = require('crypto');
  for (const pem of list) {
    try {
      void new X509Certificate(pem);
    } catch (invalid) {
      if (invalid.code !== 'ERR_OSSL_PEM_NO_START_LINE') throw invalid;
      const error = new ERR_CRYPTO_OPERATION_FAILED();
      error.message = 'No valid certificates found in the provided array';
      throw error;
    }
  }
  defaults = [...new Set(list)];
  given = undefined;
}

module.exports = { addDefaults, getCACertificates, rootCertificates, setDefaultCACertificates };

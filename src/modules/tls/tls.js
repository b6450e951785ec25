'use strict';
// node:tls.

const { constants: { defaultCipherList, defaultCoreCipherList } } = require('crypto');
const { SecureContext, createSecureContext } = require('#tls/secure_context');
const { checkServerIdentity, convertALPNProtocols } = require('#tls/identity');
const roots = require('#tls/roots');

const native = binding('tls');

exports.CLIENT_RENEG_LIMIT = 3;
exports.CLIENT_RENEG_WINDOW = 600;
exports.DEFAULT_CIPHERS = defaultCipherList ?? defaultCoreCipherList;
exports.DEFAULT_ECDH_CURVE = 'auto';
exports.DEFAULT_MIN_VERSION = minVersion();
exports.DEFAULT_MAX_VERSION = maxVersion();

function minVersion() {
  const { getOptionValue } = require('#runtime/options');
  if (getOptionValue('--tls-min-v1.0')) return 'TLSv1';
  if (getOptionValue('--tls-min-v1.1')) return 'TLSv1.1';
  if (getOptionValue('--tls-min-v1.2')) return 'TLSv1.2';
  return getOptionValue('--tls-min-v1.3') ? 'TLSv1.3' : 'TLSv1.2';
}

function maxVersion() {
  const { getOptionValue } = require('#runtime/options');
  if (getOptionValue('--tls-max-v1.3')) return 'TLSv1.3';
  return getOptionValue('--tls-max-v1.2') ? 'TLSv1.2' : 'TLSv1.3';
}

let ciphers;
exports.getCiphers = (() => () => {
  ciphers ??= [...new Set(native.getSSLCiphers())].sort();
  return ciphers.slice();
})();
Object.defineProperty(exports, 'rootCertificates', {
  __proto__: null,
  configurable: false,
  enumerable: true,
  get: () => roots.rootCertificates(),
});
exports.getCACertificates = roots.getCACertificates;
exports.setDefaultCACertificates = roots.setDefaultCACertificates;
exports.convertALPNProtocols = convertALPNProtocols;
exports.checkServerIdentity = checkServerIdentity;
exports.createSecureContext = createSecureContext;
exports.SecureContext = SecureContext;
exports.TLSSocket = require('#tls/socket').TLSSocket;
const server = require('#tls/server');
exports.Server = server.Server;
exports.createServer = server.createServer;
exports.connect = require('#tls/connect').connect;

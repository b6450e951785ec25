'use strict';
// node:_tls_common, an old name: use node:tls.

const { SecureContext, createSecureContext } = require('tls');

process.emitWarning('The _tls_common module is deprecated. Use `node:tls` instead.', 'DeprecationWarning', 'DEP0192');

/** The information about authorities as an object of lists. */
function translateInfoAccess(text) {
  const info = { __proto__: null };
  text.replace(/([^\n:]*):([^\n]*)(?:\n|$)/g, (all, key, value) => {
    if (value.charCodeAt(0) === 0x22) value = JSON.parse(value);
    (info[key] ??= []).push(value);
  });
  return info;
}

/** A certificate as getPeerCertificate() shows it, of what it once was made of. */
function translatePeerCertificate(c) {
  if (!c) return null;
  if (c.issuerCertificate != null && c.issuerCertificate !== c) {
    c.issuerCertificate = translatePeerCertificate(c.issuerCertificate);
  }
  if (c.infoAccess != null) c.infoAccess = translateInfoAccess(c.infoAccess);
  return c;
}

module.exports = { SecureContext, createSecureContext, translatePeerCertificate };

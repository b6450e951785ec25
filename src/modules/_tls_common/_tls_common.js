'use strict';
// node:_tls_common, an old name: use node:tls.

const { SecureContext, createSecureContext } = require('tls');

process.emitWarning('The _tls_common module is deprecated. Use `node:tls` instead.', 'DeprecationWarning', 'DEP0192');

module.exports = { SecureContext, createSecureContext };

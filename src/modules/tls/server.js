'use strict';
// tls.Server: a net.Server that speaks TLS with whoever connects.

const net = require('net');
const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_TLS_REQUIRED_SERVER_NAME },
  connResetException,
} = require('#internal/errors');
const { validateBuffer, validateFunction, validateNumber, validateString } = require('#internal/validators');
const { createSecureContext } = require('#tls/secure_context');
const { TLSSocket, kErrorEmitted } = require('#tls/socket');
const { convertALPNProtocols } = require('#tls/identity');

const kHandshakeTimeout = Symbol('kHandshakeTimeout');
const kPauseOnConnect = Symbol('kPauseOnConnect');
const kSNICallback = Symbol('kSNICallback');

/** `this` is the raw socket's server. */
function onConnection(rawSocket) {
  const socket = new TLSSocket(rawSocket, {
    secureContext: this._sharedCreds,
    isServer: true,
    server: this,
    requestCert: this.requestCert,
    rejectUnauthorized: this.rejectUnauthorized,
    handshakeTimeout: this[kHandshakeTimeout],
    ALPNProtocols: this.ALPNProtocols,
    ALPNCallback: this.ALPNCallback,
    SNICallback: this[kSNICallback] || ((servername, callback) => chooseContext(this, servername, callback)),
    enableTrace: this.enableTrace,
    pauseOnConnect: this.pauseOnConnect,
    pskCallback: this._pskCallback,
    pskIdentityHint: this._pskIdentityHint,
    highWaterMark: this.highWaterMark,
  });
  socket.on('secure', onServerSecure);
  socket[kErrorEmitted] = false;
  socket.on('close', onSocketClose);
  socket.on('_tlsError', onSocketTLSError);
  socket.on('error', onEarlyError);
  socket.on('end', onEarlyEnd);
}

/** The context that was added last whose pattern fits the name. */
function chooseContext(server, servername, callback) {
  const contexts = server._contexts;
  for (let i = contexts.length - 1; i >= 0; i--) {
    const [pattern, context] = contexts[i];
    if (pattern.test(servername)) {
      callback(null, context);
      return;
    }
  }
  callback(null, undefined);
}

/** Before the handshake is over an error is the server's business. */
function onEarlyError(error) {
  if (!this._controlReleased) onSocketTLSError.call(this, error);
}

function onEarlyEnd() {
  if (this._controlReleased || this[kErrorEmitted] || this._secureEstablished) return;
  onSocketTLSError.call(this, connResetException('socket hang up'));
  this.destroy();
}

function onSocketTLSError(error) {
  if (this._controlReleased || this[kErrorEmitted]) return;
  this[kErrorEmitted] = true;
  this.server.emit('tlsClientError', error, this);
  this.destroy();
}

function onSocketClose() {
  // Closed before the handshake was over.
  if (!this._controlReleased && !this[kErrorEmitted]) {
    this[kErrorEmitted] = true;
    const error = connResetException('socket hang up');
    this.server.emit('tlsClientError', error, this);
  }
}

function onServerSecure() {
  if (!this._requestCert) {
    accept(this);
    return;
  }
  const verifyError = this._handle.connection.verifyError();
  if (verifyError === null) {
    this.authorized = true;
    accept(this);
    return;
  }
  this.authorizationError = verifyError.code;
  if (this._rejectUnauthorized) {
    // The peer hears of it as of a connection that was reset.
    onSocketTLSError.call(this, verifyError);
    return;
  }
  accept(this);
}

function accept(socket) {
  if (socket.destroyed || !socket._releaseControl()) return;
  socket.removeListener('error', onEarlyError);
  socket.removeListener('end', onEarlyEnd);
  socket.server.emit('secureConnection', socket);
  // What the peer sent along with the end of the handshake.
  if (!socket.destroyed && !socket.isPaused()) socket.read(0);
}

function Server(options, listener) {
  if (!(this instanceof Server)) return new Server(options, listener);
  if (typeof options === 'function') {
    listener = options;
    options = {};
  } else if (options === null || typeof options === 'object') {
    options ??= {};
  } else if (options === undefined) {
    options = {};
  } else {
    throw new ERR_INVALID_ARG_TYPE('options', 'Object', options);
  }
  this._contexts = [];
  this.requestCert = options.requestCert === true;
  this.rejectUnauthorized = options.rejectUnauthorized !== false;
  this.ALPNCallback = options.ALPNCallback;
  if (this.ALPNCallback) {
    validateFunction(this.ALPNCallback, 'options.ALPNCallback');
    if (options.ALPNProtocols) {
      const { codes: { ERR_TLS_ALPN_CALLBACK_WITH_PROTOCOLS } } = require('#internal/errors');
      throw new ERR_TLS_ALPN_CALLBACK_WITH_PROTOCOLS();
    }
  }
  if (options.sessionTimeout) this.sessionTimeout = options.sessionTimeout;
  if (options.ticketKeys) this.ticketKeys = options.ticketKeys;
  if (options.ALPNProtocols) convertALPNProtocols(options.ALPNProtocols, this);
  this.setSecureContext(options);
  this[kHandshakeTimeout] = options.handshakeTimeout || 120 * 1000;
  this[kSNICallback] = options.SNICallback;
  this[kPauseOnConnect] = Boolean(options.pauseOnConnect);
  validateNumber(this[kHandshakeTimeout], 'options.handshakeTimeout');
  if (this[kSNICallback]) validateFunction(this[kSNICallback], 'options.SNICallback');
  if (options.pskCallback !== undefined) validateFunction(options.pskCallback, 'pskCallback');
  if (options.pskIdentityHint !== undefined) validateString(options.pskIdentityHint, 'pskIdentityHint');
  this._pskCallback = options.pskCallback;
  this._pskIdentityHint = options.pskIdentityHint;
  if (options.enableTrace) this.enableTrace = true;
  // The raw sockets end when the TLS ones do.
  net.Server.call(this, { ...options, pauseOnConnect: false, allowHalfOpen: options.allowHalfOpen }, onConnection);
  this.pauseOnConnect = this[kPauseOnConnect];
  if (listener) this.on('secureConnection', listener);
}
Object.setPrototypeOf(Server.prototype, net.Server.prototype);
Object.setPrototypeOf(Server, net.Server);

const kContextOptions = ['pfx', 'key', 'passphrase', 'cert', 'clientCertEngine', 'ca', 'minVersion', 'maxVersion',
  'secureProtocol', 'crl', 'sigalgs', 'ciphers', 'ecdhCurve', 'dhparam', 'honorCipherOrder', 'secureOptions',
  'sessionIdContext', 'ticketKeys', 'privateKeyIdentifier', 'privateKeyEngine', 'sessionTimeout',
  'allowPartialTrustChain'];

Server.prototype.setSecureContext = function setSecureContext(options) {
  require('#internal/validators').validateObject(options, 'options');
  const own = {};
  for (const name of kContextOptions) {
    if (options[name] !== undefined && options[name] !== null) own[name] = options[name];
    this[name] = options[name] || undefined;
  }
  if (options.honorCipherOrder !== undefined) own.honorCipherOrder = Boolean(options.honorCipherOrder);
  else own.honorCipherOrder = true;
  this.honorCipherOrder = own.honorCipherOrder;
  // Sessions of one server are not another's.
  own.sessionIdContext ??= require('crypto').hash('sha1', process.argv.join(' ')).slice(0, 32);
  if (this.ticketKeys) own.ticketKeys = this.ticketKeys;
  if (this.sessionTimeout) own.sessionTimeout = this.sessionTimeout;
  this._sharedCreds = createSecureContext(own);
};

Server.prototype._getServerData = function _getServerData() {
  return { ticketKeys: this.getTicketKeys().toString('hex') };
};

Server.prototype._setServerData = function _setServerData(data) {
  this.setTicketKeys(require('buffer').Buffer.from(data.ticketKeys, 'hex'));
};

Server.prototype.getTicketKeys = function getTicketKeys() {
  return this._sharedCreds.context.getTicketKeys();
};

Server.prototype.setTicketKeys = function setTicketKeys(keys) {
  validateBuffer(keys);
  require('#internal/assert')(keys.byteLength === 48, 'Session ticket keys must be a 48-byte buffer');
  this._sharedCreds.context.setTicketKeys(keys);
};

Server.prototype.addContext = function addContext(servername, context) {
  if (!servername) throw new ERR_TLS_REQUIRED_SERVER_NAME();
  const source = servername.replace(/([.^$+?\-\\[\]{}])/g, '\\$1').replaceAll('*', '[^.]*');
  const secureContext = context instanceof require('#tls/secure_context').SecureContext ? context :
    createSecureContext(context);
  this._contexts.push([new RegExp(`^${source}$`), secureContext.context]);
};

Server.prototype[Symbol.for('nodejs.rejection')] = function(error, event, sock) {
  switch (event) {
    case 'secureConnection':
      sock.destroy(error);
      break;
    default:
      net.Server.prototype[Symbol.for('nodejs.rejection')].call(this, error, event, sock);
  }
};

function createServer(options, listener) {
  return new Server(options, listener);
}

module.exports = { Server, createServer };

'use strict';
// TLSSocket: a net.Socket whose handle speaks TLS over another stream.

const net = require('net');
const { Buffer } = require('buffer');
const {
  codes: {
    ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_TLS_ALPN_CALLBACK_INVALID_RESULT,
    ERR_TLS_ALPN_CALLBACK_WITH_PROTOCOLS, ERR_TLS_HANDSHAKE_TIMEOUT, ERR_TLS_INVALID_CONTEXT, ERR_TLS_INVALID_STATE,
    ERR_TLS_RENEGOTIATION_DISABLED, ERR_TLS_SESSION_ATTACK, ERR_TLS_SNI_FROM_SERVER,
  },
} = require('#internal/errors');
const { validateBuffer, validateFunction, validateInt32, validateString, validateUint32, validateObject } =
  require('#internal/validators');
const { SecureContext, createSecureContext } = require('#tls/secure_context');
const { TLSHandle } = require('#tls/handle');

const native = binding('tls');

const kErrorEmitted = Symbol('kErrorEmitted');
const kRenegotiations = Symbol('kRenegotiations');
const kRenegotiating = Symbol('kRenegotiating');
const kDisableRenegotiation = Symbol('kDisableRenegotiation');
const kConnectOptions = Symbol('kConnectOptions');
const kSession = Symbol('kSession');
const kMadeUnder = Symbol('kMadeUnder');
const kTold = Symbol('kTold');

/** A certificate or key that only the native side has, as an X509Certificate. */
function toX509(handles) {
  if (handles === undefined) return undefined;
  const { X509Certificate, setIssuer } = require('#crypto/x509');
  const certificates = handles.map((handle) => new X509Certificate(handle));
  certificates.forEach((certificate, i) => setIssuer(certificate, certificates[i + 1]));
  return certificates[0];
}

/** The context of `options`: given, or made of them. */
function contextOf(options) {
  const { secureContext } = options;
  if (secureContext === undefined || secureContext === null) return createSecureContext(options);
  if (!(secureContext instanceof SecureContext) && secureContext.context === undefined) {
    throw new ERR_TLS_INVALID_CONTEXT('secureContext');
  }
  return secureContext;
}

function TLSSocket(socket, opts) {
  const options = { ...opts };
  this._tlsOptions = options;
  this._secureEstablished = false;
  this._securePending = false;
  this._newSessionPending = false;
  this._controlReleased = false;
  this.secureConnecting = true;
  this._SNICallback = null;
  this.servername = null;
  this.alpnProtocol = null;
  this.authorized = false;
  this.authorizationError = null;
  this[kErrorEmitted] = false;
  this[kRenegotiations] = 0;
  this[kDisableRenegotiation] = false;
  this[kRenegotiating] = false;
  this[kSession] = null;
  if (options.ALPNCallback !== undefined) {
    validateFunction(options.ALPNCallback, 'options.ALPNCallback');
    if (options.ALPNProtocols) throw new ERR_TLS_ALPN_CALLBACK_WITH_PROTOCOLS();
  }
  if (options.secureContext !== undefined && options.secureContext !== null) contextOf(options);

  // Without a stream there is nothing to do yet: connect() of tls.connect() sets one.
  const under = socket ?? new net.Socket({ allowHalfOpen: true });
  const secureContext = contextOf(options);
  const handle = new TLSHandle(under, secureContext.context, Boolean(options.isServer));
  this.ssl = handle;

  net.Socket.call(this, {
    handle,
    // A stream that was made for this socket is half-open for its sake only.
    allowHalfOpen: socket && !options[kMadeUnder] ? socket.allowHalfOpen : options.allowHalfOpen,
    pauseOnCreate: options.pauseOnConnect,
    manualStart: true,
    highWaterMark: options.highWaterMark,
    onread: socket && !options[kMadeUnder] ? undefined : options.onread,
  });
  this.ssl = handle;
  // Until a program has the socket, or tls.connect() has, an error is the handshake's.
  this.on('error', onEarlyError);
  this._parent = socket ?? null;
  wire(this, under, handle);
  this._init(socket, handle);
  if (socket) {
    this._parent = socket;
    this.connecting = Boolean(socket.connecting);
    if (socket.connecting && !options[kMadeUnder]) {
      socket.once('connect', () => {
        this.connecting = false;
        this.emit('connect');
        this.emit('ready');
      });
    }
  }
  if (options.signal) obey(this, options.signal);
  // What a server's peer says comes by itself.
  if (options.isServer) {
    if (under.connecting) under.once('connect', () => this._start());
    else this._start();
  }
  this.read(0);
}
Object.setPrototypeOf(TLSSocket.prototype, net.Socket.prototype);
Object.setPrototypeOf(TLSSocket, net.Socket);

Object.defineProperty(TLSSocket.prototype, 'encrypted', { __proto__: null, value: true, writable: true,
  enumerable: true, configurable: true });

/** A signal that is aborted already gives the program time to listen. */
function obey(self, signal) {
  const { AbortError } = require('#internal/errors');
  if (signal.aborted) process.nextTick(() => self.destroy(new AbortError(undefined, { cause: signal.reason })));
  else require('stream').addAbortSignal(signal, self);
}

function onEarlyError(error) {
  if (!this[kTold]) this._emitTLSError(error);
}

/** Ties the socket to its handle and to the stream below. */
function wire(self, under, handle) {
  self.once('close', () => self._destroySSL());
  handle.onerror = (error) => onHandleError(self, error);
  handle.onsecure = () => {
    // As the last thing of a handshake, so that what listeners do finds it over.
    self._finishInit();
  };
  handle.onevent = (kind, bytes, extra) => onHandleEvent(self, kind, bytes, extra);
  under.on('error', (error) => {
    if (self.destroyed) return;
    if (handle.closing && error.code === 'EPIPE') {
      self.destroy();
      return;
    }
    if (self._tlsOptions.isServer && !self._secureEstablished) {
      self._emitTLSError(error);
      return;
    }
    self.destroy(error);
  });
  under.once('close', () => {
    if (self.destroyed) return;
    if (!handle.gaveEnd) handle.end();
    if (!self.destroyed) self.destroy();
  });
}

/** What happened in the handshake, or between reads. */
function onHandleEvent(self, kind, bytes, extra) {
  switch (kind) {
    case 'keylog':
      self.emit('keylog', bytes);
      self.server?.emit('keylog', bytes, self);
      break;
    case 'session':
      onNewSession(self, bytes, extra);
      break;
    case 'ocsp':
      self.emit('OCSPResponse', bytes.length === 0 ? null : bytes);
      break;
    case 'hello':
      onHello(self, bytes);
      break;
    case 'certificate':
      onCertificateNeeded(self, bytes[0] === 0x31);
      break;
    case 'handshakestart':
      onHandshakeStart(self);
      break;
    case 'handshakedone':
      if (!self[kRenegotiating]) break;
      self[kRenegotiating] = false;
      endRenegotiation(self._handle);
      self.emit('secure');
      break;
  }
}

function endRenegotiation(handle) {
  if (!handle) return;
  handle.renegotiating = false;
  if (!handle.reading) handle.readStop();
}

function onHandshakeStart(self) {
  if (!self._secureEstablished) return;
  self[kRenegotiating] = true;
  self._handle.renegotiating = true;
  self._handle.handshakes++;
  if (self._tlsOptions.isServer !== true) return;
  // RFC 5746 allows it; a peer that does it again and again only costs.
  if (self[kDisableRenegotiation]) {
    self._emitTLSError(new ERR_TLS_RENEGOTIATION_DISABLED());
    return;
  }
  const tls = require('tls');
  self[kRenegotiations]++;
  if (self[kRenegotiations] === 1) {
    setTimeout(() => {
      self[kRenegotiations] = 0;
    }, tls.CLIENT_RENEG_WINDOW * 1000).unref();
  }
  if (self[kRenegotiations] > tls.CLIENT_RENEG_LIMIT) {
    self._emitTLSError(new ERR_TLS_SESSION_ATTACK());
  }
}

function onNewSession(self, session, id) {
  if (self._tlsOptions.isServer) {
    const { server } = self;
    if (!server || server.listenerCount('newSession') === 0) return;
    // The program may have to store it before the client comes back with it.
    self._newSessionPending = true;
    server.emit('newSession', id, session, () => {
      if (!self._newSessionPending) return;
      self._newSessionPending = false;
      if (self._securePending) self._finishInit();
      self._securePending = false;
    });
    return;
  }
  const tell = () => {
    self[kSession] = session;
    self.emit('session', session);
    self[kSession] = null;
  };
  // TLS 1.3 gives tickets after the handshake. The session of a peer that turns out not to be trusted is nobody's.
  if (self._controlReleased) tell();
  else self.once('secureConnect', tell);
}

/** A client asks for a session by its id; the program's store may have it. */
function onHello(self, id) {
  const handle = self._handle ?? self.ssl;
  let once = false;
  self.server.emit('resumeSession', id, (error, session) => {
    if (once || handle.closed) return;
    once = true;
    if (error) {
      self.destroy(error);
      return;
    }
    handle.connection.resumeSession(session ?? undefined);
    goOn(handle);
  });
}

/** Lets a handshake that waited for the program go on, not from inside of the step that asked. */
function goOn(handle) {
  if (handle.inCycle) process.nextTick(() => handle.cycle());
  else handle.cycle();
}

/** SNI and OCSP: the program may choose another context before the certificate is sent. */
function onCertificateNeeded(self, wantsOcsp) {
  const handle = self._handle ?? self.ssl;
  const { server } = self;
  const servername = handle.connection.getServername();
  // Known even where the handshake comes to nothing.
  self.servername = servername;
  const resume = () => {
    if (handle.closed) return;
    handle.connection.waitForCertificate(false);
    goOn(handle);
  };
  const askOcsp = (context) => {
    if (!wantsOcsp || !server || server.listenerCount('OCSPRequest') === 0) return resume();
    const native = (context ?? contextOf(self._tlsOptions)).context ?? context;
    let once = false;
    server.emit('OCSPRequest', native.getCertificate(), native.getIssuer(), (error, response) => {
      if (once) return;
      once = true;
      if (error) return self.destroy(error);
      if (response) handle.connection.setOCSPResponse(response);
      resume();
    });
  };
  if (servername && self._SNICallback) {
    let once = false;
    self._SNICallback(servername, (error, context) => {
      if (once) return self.destroy(new Error('Callback was called multiple times'));
      once = true;
      if (error) return self.destroy(error);
      if (handle.closed) return;
      if (!context) return askOcsp(undefined);
      const native_ = context.context ?? context;
      if (!(native_ instanceof native.SecureContext)) {
        onHandleError(self, new Error('Invalid SNI context'));
        return;
      }
      handle.connection.setContext(native_);
      askOcsp({ context: native_ });
    });
    return;
  }
  askOcsp(self._tlsOptions.secureContext);
}

function onHandleError(self, error) {
  if (self._hadError) return;
  self._hadError = true;
  if (!self._secureEstablished) {
    // A server tells of it while the socket can still be looked at.
    if (self.listenerCount('_tlsError') > 0) {
      self[kTold] = true;
      self.emit('_tlsError', error);
    }
    if (!self.destroyed) self.destroy(error);
    return;
  }
  const { isServer } = self._tlsOptions;
  if (isServer && self._rejectUnauthorized && /peer did not return a certificate/.test(error.message)) {
    // The client was to show one, and learns why it is refused from the alert.
    self.destroy();
    return;
  }
  self._emitTLSError(error);
}

TLSSocket.prototype._init = function _init(socket, handle) {
  const options = this._tlsOptions;
  const { connection } = handle;
  const { server } = options;
  this.server = server ?? this.server ?? null;
  const requestCert = Boolean(options.requestCert) || !options.isServer;
  const rejectUnauthorized = Boolean(options.rejectUnauthorized);
  this._requestCert = requestCert;
  this._rejectUnauthorized = rejectUnauthorized;
  connection.setVerify(requestCert, rejectUnauthorized);

  if (options.isServer) {
    const needsPause = (options.SNICallback && options.SNICallback !== true) ||
      (server && (server._contexts?.length > 0 || server.listenerCount('OCSPRequest') > 0));
    if (options.SNICallback) {
      validateFunction(options.SNICallback, 'options.SNICallback');
      this._SNICallback = options.SNICallback;
    }
    if (needsPause || options.SNICallback) connection.waitForCertificate(true);
    if (server?.listenerCount('resumeSession') > 0) connection.waitForHello();
  }
  if (options.ALPNProtocols) {
    const out = {};
    require('#tls/identity').convertALPNProtocols(options.ALPNProtocols, out);
    if (out.ALPNProtocols) connection.setALPN(out.ALPNProtocols, false);
  } else if (options.ALPNCallback && options.isServer) {
    connection.onalpn = (offered) => answer(() => chooseAlpn(this, offered));
    connection.setALPN(Buffer.alloc(0), true);
  }
  if (options.pskCallback) {
    validateFunction(options.pskCallback, 'pskCallback');
    if (options.pskIdentityHint) validateString(options.pskIdentityHint, 'options.pskIdentityHint');
    connection.onpsk = options.isServer ? (...args) => answer(() => pskOfServer(this, ...args)) :
      (...args) => answer(() => pskOfClient(this, ...args));
    try {
      connection.setPSK(options.isServer ? options.pskIdentityHint : undefined);
    } catch (error) {
      process.nextTick(() => this._emitTLSError(error));
    }
  }
  if (options.session) this.setSession(options.session);
  if (options.requestOCSP && !options.isServer) connection.requestOCSP();
  if (options.enableTrace) this.enableTrace();
  if (options.handshakeTimeout > 0) this.setTimeout(options.handshakeTimeout, this._handleTimeout);
  const wantsKeylog = () => connection.setKeylog();
  this.on('newListener', function keylogNewListener(event) {
    if (event !== 'keylog') return;
    wantsKeylog();
    this.removeListener('newListener', keylogNewListener);
  });
  if (server?.listenerCount('keylog') > 0) wantsKeylog();
  writeKeylog(this);
};

let warnedKeylog = false;
/** --tls-keylog=FILE */
function writeKeylog(self) {
  const file = require('#runtime/options').getOptionValue('--tls-keylog');
  if (!file) return;
  if (!warnedKeylog) {
    warnedKeylog = true;
    process.emitWarning('Using --tls-keylog makes TLS connections insecure by writing secret key material to file ' +
      file);
  }
  self.on('keylog', (line) => require('fs').appendFileSync(file, line, { mode: 0o600 }));
}

/** What a callback of the program throws is the program's; the handshake goes on as if it had no answer. */
function answer(ask) {
  try {
    return ask();
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
    return undefined;
  }
}

function chooseAlpn(self, offered) {
  const protocols = [];
  for (let at = 0; at < offered.length; at += 1 + offered[at]) {
    protocols.push(offered.toString('latin1', at + 1, at + 1 + offered[at]));
  }
  const { ALPNCallback } = self._tlsOptions;
  const chosen = Reflect.apply(ALPNCallback, self, [{
    servername: self._handle.connection.getServername() || '', protocols,
  }]);
  if (chosen === undefined) return undefined;
  const index = protocols.indexOf(chosen);
  if (index < 0) throw new ERR_TLS_ALPN_CALLBACK_INVALID_RESULT(chosen, protocols);
  let at = 0;
  for (let i = 0; i < index; i++) at += 1 + offered[at];
  return at;
}

function pskOfClient(self, hint, maxPskLen, maxIdentityLen) {
  const answer = self._tlsOptions.pskCallback(hint);
  if (answer === null || answer === undefined) return undefined;
  validateObject(answer, 'ret');
  validateBuffer(answer.psk, 'psk');
  if (answer.psk.byteLength > maxPskLen) {
    throw new ERR_INVALID_ARG_VALUE('psk', answer.psk, `Pre-shared key exceeds ${maxPskLen} bytes`);
  }
  const { identity } = answer;
  validateString(identity, 'identity');
  if (Buffer.byteLength(identity) > maxIdentityLen) {
    throw new ERR_INVALID_ARG_VALUE('identity', identity, `PSK identity exceeds ${maxIdentityLen} bytes`);
  }
  return { identity, psk: answer.psk };
}

function pskOfServer(self, identity, maxPskLen) {
  const answer = Reflect.apply(self._tlsOptions.pskCallback, undefined, [self, identity]);
  if (answer === null || answer === undefined) return undefined;
  const psk = ArrayBuffer.isView(answer) ? answer : answer.psk;
  if (!ArrayBuffer.isView(psk)) {
    throw new ERR_INVALID_ARG_TYPE('ret', ['Object', 'Buffer', 'TypedArray', 'DataView'], answer);
  }
  if (psk.byteLength > maxPskLen) {
    throw new ERR_INVALID_ARG_VALUE('psk', psk, `Pre-shared key exceeds ${maxPskLen} bytes`);
  }
  return psk;
}

/** Of a socket that was made without a stream: connects the one below. */
TLSSocket.prototype.connect = function connect(...args) {
  const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined;
  const under = this._handle.stream;
  if (callback) this.once('connect', callback);
  this.connecting = true;
  under.connect(...args);
  relayConnecting(this, under);
  return this;
};

/** Events of the connection below that a program expects of the socket it holds. */
function relayConnecting(self, under) {
  for (const event of ['lookup', 'connectionAttempt', 'connectionAttemptFailed', 'connectionAttemptTimeout']) {
    under.on(event, (...args) => self.emit(event, ...args));
  }
  under.once('connect', () => {
    self.connecting = false;
    self._host = under._host;
    self.emit('connect');
    self.emit('ready');
    self._start();
  });
}
Object.defineProperty(TLSSocket.prototype, 'connect', { __proto__: null, enumerable: false });

TLSSocket.prototype._start = function _start() {
  if (this.connecting) {
    this.once('connect', this._start);
    return;
  }
  if (!this._handle) return;
  this._handle.start();
};

TLSSocket.prototype._finishInit = function _finishInit() {
  const handle = this._handle;
  if (!handle) return;
  if (this._newSessionPending) {
    this._securePending = true;
    return;
  }
  this.alpnProtocol = handle.connection.getALPN();
  // The name that was asked for; the server's side learns it here.
  if (this.servername === null) this.servername = handle.connection.getServername();
  this._secureEstablished = true;
  this.secureConnecting = false;
  if (this._tlsOptions.handshakeTimeout > 0) this.setTimeout(0, this._handleTimeout);
  this.emit('secure');
};

TLSSocket.prototype._handleTimeout = function _handleTimeout() {
  this._emitTLSError(new ERR_TLS_HANDSHAKE_TIMEOUT());
};

TLSSocket.prototype._emitTLSError = function _emitTLSError(error) {
  const e = this._tlsError(error);
  if (e) this.destroy(e);
};

TLSSocket.prototype._tlsError = function _tlsError(error) {
  this.emit('_tlsError', error);
  // A program that has the socket gets the error; before that the server does.
  if (this._controlReleased) return error;
  return null;
};

TLSSocket.prototype._releaseControl = function _releaseControl() {
  if (this._controlReleased) return false;
  this._controlReleased = true;
  this.removeListener('error', onEarlyError);
  return true;
};

TLSSocket.prototype._destroySSL = function _destroySSL() {
  this.ssl = null;
};

TLSSocket.prototype._wrapHandle = function _wrapHandle() {
  return this._handle;
};

TLSSocket.prototype.disableRenegotiation = function disableRenegotiation() {
  this[kDisableRenegotiation] = true;
};

TLSSocket.prototype.renegotiate = function renegotiate(options, callback) {
  validateObject(options, 'options');
  if (callback !== undefined) validateFunction(callback, 'callback');
  if (this.destroyed || !this._handle) return;
  let requestCert = Boolean(this._requestCert);
  let rejectUnauthorized = Boolean(this._rejectUnauthorized);
  if (options.requestCert !== undefined) requestCert = Boolean(options.requestCert);
  if (options.rejectUnauthorized !== undefined) rejectUnauthorized = Boolean(options.rejectUnauthorized);
  if (requestCert !== this._requestCert || rejectUnauthorized !== this._rejectUnauthorized) {
    this._handle.connection.setVerify(requestCert, rejectUnauthorized);
    this._requestCert = requestCert;
    this._rejectUnauthorized = rejectUnauthorized;
  }
  const handle = this._handle;
  try {
    handle.connection.renegotiate();
  } catch (error) {
    if (callback) process.nextTick(callback, error);
    return false;
  }
  if (callback) this.once('secure', () => callback(null));
  // It begins with the next read, whether or not somebody waits for plain text.
  handle.renegotiating = true;
  handle.stream.resume();
  process.nextTick(() => handle.cycle());
  return true;
};

TLSSocket.prototype.exportKeyingMaterial = function exportKeyingMaterial(length, label, context) {
  validateUint32(length, 'length', true);
  validateString(label, 'label');
  if (context !== undefined) validateBuffer(context, 'context');
  if (!this._secureEstablished) throw new ERR_TLS_INVALID_STATE();
  return this._handle?.connection.exportKeyingMaterial(length, label, context);
};

TLSSocket.prototype.setMaxSendFragment = function setMaxSendFragment(size) {
  validateInt32(size, 'size');
  return this._handle.connection.setMaxSendFragment(size);
};

TLSSocket.prototype.setServername = function setServername(name) {
  validateString(name, 'name');
  if (this._tlsOptions.isServer) throw new ERR_TLS_SNI_FROM_SERVER();
  this._handle.connection.setServername(name);
};

TLSSocket.prototype.setSession = function setSession(session) {
  if (typeof session === 'string') session = Buffer.from(session, 'latin1');
  (this._handle ?? this.ssl).connection.setSession(session);
};

TLSSocket.prototype.getPeerCertificate = function getPeerCertificate(detailed) {
  if (!this._handle) return null;
  return this._handle.connection.getCertificate(false, Boolean(detailed)) ?? {};
};

TLSSocket.prototype.getCertificate = function getCertificate() {
  if (!this._handle) return null;
  return this._handle.connection.getCertificate(true, false) ?? {};
};

TLSSocket.prototype.getPeerX509Certificate = function getPeerX509Certificate() {
  return this._handle ? toX509(this._handle.connection.getX509(false)) : undefined;
};

TLSSocket.prototype.getX509Certificate = function getX509Certificate() {
  return this._handle ? toX509(this._handle.connection.getX509(true)) : undefined;
};

TLSSocket.prototype.setKeyCert = function setKeyCert(context) {
  if (!this._handle) return;
  let secureContext;
  if (context instanceof SecureContext || context?.context instanceof native.SecureContext) secureContext = context;
  else secureContext = createSecureContext(context);
  this._handle.connection.setContext(secureContext.context);
};

TLSSocket.prototype.getSession = function getSession() {
  // Whoever hears of a session finds that one here, though the peer may have sent more by now.
  return this._handle ? this[kSession] ?? this._handle.connection.getSession() : null;
};

TLSSocket.prototype.enableTrace = function enableTrace() {
  process.emitWarning('Enabling --trace-tls can expose sensitive data in the resulting log.');
};

for (const [method, name] of [['getCipher', 'getCipher'], ['getSharedSigalgs', 'getSharedSigalgs'],
  ['getEphemeralKeyInfo', 'getEphemeralKeyInfo'], ['getProtocol', 'getProtocol'],
  ['isSessionReused', 'isSessionReused']]) {
  TLSSocket.prototype[method] = { [method](...args) {
    return this._handle ? this._handle.connection[name](...args) : null;
  } }[method];
}
TLSSocket.prototype.getTLSTicket = function getTLSTicket() {
  return this._handle ? this._handle.connection.getTicket(this[kSession] ?? undefined) : null;
};
TLSSocket.prototype.getFinished = function getFinished() {
  return this._handle ? this._handle.connection.getFinished(false) : null;
};
TLSSocket.prototype.getPeerFinished = function getPeerFinished() {
  return this._handle ? this._handle.connection.getFinished(true) : null;
};

module.exports = { TLSSocket, kConnectOptions, kErrorEmitted, kMadeUnder, onEarlyError, relayConnecting };

'use strict';
// tls.connect(): the client's side.

const net = require('net');
const {
  codes: { ERR_MISSING_ARGS },
  connResetException,
} = require('#internal/errors');
const { publish } = require('#internal/diagnostics');
const { kCarrier } = require('#net/socket');
const { validateFunction, validateNumber } = require('#internal/validators');
const { TLSSocket, kConnectOptions, kMadeUnder, onEarlyError, relayConnecting } = require('#tls/socket');

let warnedUnauthorized = false;

/** False only where the user switched verification off for the whole process. */
function allowsUnauthorized() {
  const value = process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0';
  if (value && !warnedUnauthorized) {
    warnedUnauthorized = true;
    process.emitWarning("Setting the NODE_TLS_REJECT_UNAUTHORIZED environment variable to '0' makes TLS " +
      'connections and HTTPS requests insecure by disabling certificate verification.');
  }
  return value;
}

/** connect(port, host, options, callback) in all its forms. */
function normalize(args) {
  let options = {};
  let callback = null;
  const list = [...args];
  if (typeof list.at(-1) === 'function') callback = list.pop();
  if (typeof list[0] === 'object' && list[0] !== null) {
    options = { ...list[0] };
  } else if (list.length > 0 && list[0] !== undefined) {
    const [first] = list;
    if (typeof first === 'string' && !(Number(first) >= 0 && first.trim() !== '')) options.path = first;
    else options.port = first;
    if (typeof list[1] === 'string') options.host = list[1];
  }
  for (const extra of list.slice(1, 3)) {
    if (extra !== null && typeof extra === 'object') Object.assign(options, extra);
  }
  return [options, callback];
}

/** Before the handshake is over: the peer went away. */
function onConnectEnd() {
  if (this._hadError) return;
  const options = this[kConnectOptions];
  this._hadError = true;
  const error = connResetException('Client network socket disconnected before secure TLS connection was established');
  error.path = options.path;
  error.host = options.host;
  error.port = options.port;
  error.localAddress = options.localAddress;
  this.destroy(error);
}

function onConnectSecure() {
  const options = this[kConnectOptions];
  let verifyError = this._handle.connection.verifyError();
  // The name is checked of a certificate that is good otherwise, of resumed sessions too (the session may come from a
  // connection to another host), but not where a shared key stood for a certificate.
  if (verifyError === null && hasCertificate(this)) {
    const hostname = options.servername || options.host || options.socket?._host || 'localhost';
    const cert = this.getPeerCertificate(true);
    // Whatever is falsy means that all is well.
    verifyError = options.checkServerIdentity(hostname, cert) || null;
  }
  if (verifyError !== null) {
    this.authorized = false;
    this.authorizationError = verifyError.code || verifyError.message;
    if (options.rejectUnauthorized !== false) {
      this.destroy(verifyError);
      return;
    }
  } else {
    this.authorized = true;
  }
  this._releaseControl();
  this.removeListener('end', onConnectEnd);
  this.emit('secureConnect');
  if (!this.destroyed && !this.isPaused()) this.read(0);
}

function hasCertificate(socket) {
  const cipher = socket.getCipher();
  return !(cipher?.name?.includes('PSK') ?? false) || socket.getPeerX509Certificate() !== undefined;
}

function connect(...args) {
  const [given, callback] = normalize(args);
  const allowUnauthorized = allowsUnauthorized();
  const options = {
    rejectUnauthorized: !allowUnauthorized,
    ciphers: require('tls').DEFAULT_CIPHERS,
    checkServerIdentity: require('tls').checkServerIdentity,
    minDHSize: 1024,
    ...given,
  };
  if (!options.keepAlive) options.singleUse = true;
  validateFunction(options.checkServerIdentity, 'options.checkServerIdentity');
  validateNumber(options.minDHSize, 'options.minDHSize', 1);
  const context = options.secureContext || require('tls').createSecureContext(options);
  if (!options.socket && !options.path && options.port === undefined && !options.fd) {
    throw new ERR_MISSING_ARGS(['options', 'port', 'path']);
  }

  const under = options.socket ?? net.connect(connectOptions(options));
  const tlsSocket = new TLSSocket(under, {
    [kMadeUnder]: !options.socket,
    allowHalfOpen: options.socket ? options.socket.allowHalfOpen : Boolean(options.allowHalfOpen),
    pipe: Boolean(options.path),
    secureContext: context,
    isServer: false,
    requestCert: true,
    rejectUnauthorized: options.rejectUnauthorized !== false,
    session: options.session,
    ALPNProtocols: options.ALPNProtocols,
    requestOCSP: options.requestOCSP,
    enableTrace: options.enableTrace,
    pskCallback: options.pskCallback,
    highWaterMark: options.highWaterMark,
    onread: options.onread,
    signal: options.signal,
  });
  tlsSocket[kConnectOptions] = options;
  tlsSocket.removeListener('error', onEarlyError);
  // A program sees one socket; what carries it is a detail unless it brought it.
  if (!options.socket) tlsSocket._parent = null;
  options.rejectUnauthorized = options.rejectUnauthorized !== false;
  if (callback) tlsSocket.once('secureConnect', callback);
  if (options.timeout && !options.socket) tlsSocket.setTimeout(options.timeout);
  setServername(tlsSocket, options);
  if (!options.socket) {
    tlsSocket.connecting = under.connecting;
    relayConnecting(tlsSocket, under);
    publish('net.client.socket', () => ({ socket: tlsSocket }));
  }
  tlsSocket.on('secure', onConnectSecure);
  tlsSocket.prependListener('end', onConnectEnd);
  if (options.socket) {
    if (under.connecting) under.once('connect', () => tlsSocket._start());
    else process.nextTick(() => tlsSocket._start());
  }
  return tlsSocket;
}

/** What net.connect() needs; the TLS socket itself times out, reads and obeys the signal. */
function connectOptions(options) {
  const own = { ...options, allowHalfOpen: true, [kCarrier]: true };
  for (const name of ['timeout', 'onread', 'signal', 'highWaterMark', 'callback']) delete own[name];
  if (!own.path && own.host === undefined) own.host = 'localhost';
  return own;
}

/** SNI: RFC 6066 knows names, no addresses. */
function setServername(tlsSocket, options) {
  if (options.servername) {
    if (!warnedIp && net.isIP(options.servername)) {
      warnedIp = true;
      process.emitWarning('Setting the TLS ServerName to an IP address is not permitted by RFC 6066. This will be ' +
        'ignored in a future version.', 'DeprecationWarning', 'DEP0123');
    }
    tlsSocket.setServername(options.servername);
    tlsSocket.servername = options.servername;
  }
}
let warnedIp = false;

module.exports = { connect };

'use strict';

// How a socket gets its connection: one address, a path, or a host whose addresses are tried in turn, alternating
// between IPv6 and IPv4, each with a head start over the next (RFC 8305).

const {
  codes: {
    ERR_INVALID_ADDRESS_FAMILY,
    ERR_INVALID_ARG_TYPE,
    ERR_INVALID_IP_ADDRESS,
    ERR_IP_BLOCKED,
    ERR_SOCKET_CONNECTION_TIMEOUT,
  },
} = require('#internal/errors');
const {
  validateBoolean,
  validateFunction,
  validateInt32,
  validateNumber,
  validatePort,
  validateString,
} = require('#internal/validators');
const { isIP } = require('#net/ip');
const { connectionAggregate, hostPortException } = require('#net/errors');
const { createTCP } = require('#net/handles');
const { connected, replaceHandle } = require('#net/socket');
const measure = require('#net/measure');

const kMinAttemptTimeout = 10;
const kAttemptTimeout = 250;
const UV_ETIMEDOUT = -110;
const UV_EADDRINUSE = -98;

/** What programs set; until then, what the command line says. */
const defaults = { autoSelectFamily: undefined, attemptTimeout: undefined };

const flag = (name) => require('#runtime/options').getOptionValue(`--network-family-autoselection${name}`);

function getDefaultAutoSelectFamily() {
  return (defaults.autoSelectFamily ??= flag('') !== false);
}

function setDefaultAutoSelectFamily(value) {
  validateBoolean(value, 'value');
  defaults.autoSelectFamily = value;
}

function getDefaultAutoSelectFamilyAttemptTimeout() {
  return (defaults.attemptTimeout ??= Math.max(Number(flag('-attempt-timeout')) || kAttemptTimeout, kMinAttemptTimeout));
}

function setDefaultAutoSelectFamilyAttemptTimeout(value) {
  validateInt32(value, 'value', 1);
  defaults.attemptTimeout = Math.max(value, kMinAttemptTimeout);
}

/** @returns {number} 0 or a negative errno */
function bindLocal(handle, family, localAddress, localPort) {
  const address = localAddress || (family === 6 ? '::' : '0.0.0.0');
  const error = handle.bind(address, localPort | 0, 0);
  if (error !== 0 || !localPort) return error;
  // A port in use may only show when the name that the kernel gave is compared.
  const out = {};
  return handle.getsockname(out) === 0 && out.port !== (localPort | 0) ? UV_EADDRINUSE : 0;
}

function localDetails(socket) {
  const { address, port } = socket._getsockname();
  return address ? `${address}:${port}` : undefined;
}

function attemptError(attempt, status) {
  const { address, port, localAddress, localPort } = attempt;
  const details = localAddress && localPort ? `${localAddress}:${localPort}` : undefined;
  const error = hostPortException(status, 'connect', address, port, details);
  if (details) {
    error.localAddress = localAddress;
    error.localPort = localPort;
  }
  return error;
}

class ConnectRequest {
  constructor(socket, attempt) {
    this.socket = socket;
    Object.assign(this, attempt);
  }

  oncomplete(status) {
    const { socket } = this;
    if (socket.destroyed) return;
    if (status === 0) {
      measure.end(this.measured);
      return connected(socket);
    }
    const error = attemptError(this, status);
    if (this.address !== undefined && this.family !== undefined) {
      socket.emit('connectionAttemptFailed', this.address, this.port, this.family, error);
    }
    socket.destroy(error);
  }
}

/** @param {import('net').Socket} socket @param {string} path */
function connectPath(socket, path) {
  const request = new ConnectRequest(socket, { address: path, port: undefined, family: undefined });
  const error = socket._handle.connectPath(request, path);
  if (error < 0) socket.destroy(hostPortException(error, 'connect', path, undefined));
}

/** @param {{ address: string, port: number, family: 4 | 6, localAddress?: string, localPort?: number }} attempt */
function connectTo(socket, attempt) {
  const { address, port, family, localAddress, localPort } = attempt;
  if (localAddress || localPort) {
    const error = bindLocal(socket._handle, family, localAddress, localPort);
    if (error !== 0) return void socket.destroy(hostPortException(error, 'bind', localAddress, localPort));
  }
  if (socket.blockList?.check(address, `ipv${family}`)) return void socket.destroy(new ERR_IP_BLOCKED(address));
  socket.emit('connectionAttempt', address, port, family);
  if (socket.destroyed) return;
  const request = new ConnectRequest(socket, attempt);
  request.measured = measure.begin('net', 'connect', { host: address, port });
  const error = socket._handle.connect(request, address, port);
  if (error < 0) socket.destroy(hostPortException(error, 'connect', address, port, localDetails(socket)));
}

// --- several addresses ---------------------------------------------------------------------------------------------

/** What is under way for one socket: its addresses, how far it is, and what went wrong so far. */
class Attempts {
  constructor(socket, addresses, { port, localPort, timeout }) {
    this.socket = socket;
    this.addresses = addresses;
    this.port = port;
    this.localPort = localPort;
    this.timeout = timeout;
    this.current = 0;
    this.errors = [];
    this.timer = undefined;
    this.measured = undefined;
  }

  next() {
    clearTimeout(this.timer);
    const { socket } = this;
    if (socket.destroyed) return;
    if (this.current === this.addresses.length) return this.giveUp();
    const index = this.current++;
    if (index > 0) replaceHandle(socket, createTCP());
    const { address, family } = this.addresses[index];
    if (this.localPort) {
      const error = bindLocal(socket._handle, family, undefined, this.localPort);
      if (error !== 0) return this.failed(hostPortException(error, 'bind', undefined, this.localPort));
    }
    if (socket.blockList?.check(address, `ipv${family}`)) return this.failed(new ERR_IP_BLOCKED(address));
    socket.autoSelectFamilyAttemptedAddresses.push(`${address}:${this.port}`);
    socket.emit('connectionAttempt', address, this.port, family);
    if (!socket.destroyed) this.start({ address, port: this.port, family }, socket._handle);
  }

  start(attempt, handle) {
    this.measured = measure.begin('net', 'connect', { host: attempt.address, port: attempt.port });
    const request = { oncomplete: (status) => this.ended(attempt, handle, status) };
    const error = handle.connect(request, attempt.address, attempt.port);
    if (error < 0) {
      const exception = hostPortException(error, 'connect', attempt.address, attempt.port, localDetails(this.socket));
      this.socket.emit('connectionAttemptFailed', attempt.address, attempt.port, attempt.family, exception);
      return this.failed(exception);
    }
    // The last one may take what it takes.
    if (this.current < this.addresses.length) {
      this.timer = setTimeout(() => this.timedOut(attempt, handle), this.timeout);
    }
  }

  timedOut(attempt, handle) {
    if (this.socket._handle !== handle || !this.socket.connecting) return;
    this.socket.emit('connectionAttemptTimeout', attempt.address, attempt.port, attempt.family);
    this.errors.push(attemptError(attempt, UV_ETIMEDOUT));
    this.next();
  }

  ended(attempt, handle, status) {
    const { socket } = this;
    if (socket._handle !== handle || socket.destroyed) return;
    clearTimeout(this.timer);
    if (status === 0) {
      measure.end(this.measured);
      return connected(socket);
    }
    const error = attemptError(attempt, status);
    socket.emit('connectionAttemptFailed', attempt.address, attempt.port, attempt.family, error);
    this.failed(error);
  }

  failed(error) {
    this.errors.push(error);
    this.next();
  }

  giveUp() {
    const { errors } = this;
    if (errors.length === 0) this.socket.destroy(new ERR_SOCKET_CONNECTION_TIMEOUT());
    else this.socket.destroy(connectionAggregate(errors));
  }
}

/** First come the addresses of the first one's family, every other one of the other family. */
function interleave(addresses) {
  const first = addresses.filter(({ family }) => family === addresses[0].family);
  const second = addresses.filter(({ family }) => family !== addresses[0].family);
  const all = [];
  for (let i = 0; i < Math.max(first.length, second.length); i++) {
    if (i < first.length) all.push(first[i]);
    if (i < second.length) all.push(second[i]);
  }
  return all;
}

function lookupSeveral(socket, settings, options, timeout) {
  const { host, lookup, dnsOptions, port, localAddress, localPort } = settings;
  lookup(host, { ...dnsOptions, all: true }, function emitLookup(error, addresses) {
    if (!socket.connecting) return;
    if (error) {
      socket.emit('lookup', error, undefined, undefined, host);
      return void process.nextTick(destroyWith, socket, error);
    }
    const valid = [];
    for (const { address, family } of addresses) {
      socket.emit('lookup', error, address, family, host);
      if (!socket.connecting) return;
      if (isIP(address) && (family === 4 || family === 6)) valid.push({ address, family });
    }
    if (valid.length === 0) {
      const { address, family } = addresses[0] ?? {};
      const exception = isIP(address)
        ? new ERR_INVALID_ADDRESS_FAMILY(family, options.host, options.port)
        : new ERR_INVALID_IP_ADDRESS(address);
      return void process.nextTick(destroyWith, socket, exception);
    }
    socket._unrefTimer();
    socket.autoSelectFamilyAttemptedAddresses = [];
    const ordered = interleave(valid);
    if (ordered.length === 1) {
      return connectTo(socket, { address: ordered[0].address, port, family: ordered[0].family, localAddress, localPort });
    }
    new Attempts(socket, ordered, { port, localPort, timeout }).next();
  });
}

function lookupOne(socket, settings, options) {
  const { host, lookup, dnsOptions, port, localAddress, localPort } = settings;
  lookup(host, dnsOptions, function emitLookup(error, ip, family) {
    socket.emit('lookup', error, ip, family, host);
    if (!socket.connecting) return;
    if (error) {
      process.nextTick(destroyWith, socket, error);
    } else if (typeof ip !== 'string' || !isIP(ip)) {
      process.nextTick(destroyWith, socket, new ERR_INVALID_IP_ADDRESS(ip));
    } else if (family !== 4 && family !== 6) {
      process.nextTick(destroyWith, socket, new ERR_INVALID_ADDRESS_FAMILY(family, options.host, options.port));
    } else {
      socket._unrefTimer();
      connectTo(socket, { address: ip, port, family, localAddress, localPort });
    }
  });
}

function destroyWith(socket, error) {
  socket.destroy(error);
}

function readPort(port) {
  if (port !== undefined) {
    if (typeof port !== 'number' && typeof port !== 'string') {
      throw new ERR_INVALID_ARG_TYPE('options.port', ['number', 'string'], port);
    }
    validatePort(port);
  }
  return port | 0;
}

function readDnsOptions(options) {
  const dns = require('dns');
  const family = typeof options.family === 'string' ? Number(options.family.slice(4)) : options.family;
  const dnsOptions = { family, hints: options.hints || 0 };
  if (dnsOptions.family !== 4 && dnsOptions.family !== 6 && dnsOptions.hints === 0) dnsOptions.hints = dns.ADDRCONFIG;
  return dnsOptions;
}

/** @param {import('net').Socket} socket @param {object} options of connect() */
function lookupAndConnect(socket, options) {
  const { localAddress, localPort } = options;
  const host = options.host || 'localhost';
  validateString(host, 'options.host');
  if (localAddress && !isIP(localAddress)) throw new ERR_INVALID_IP_ADDRESS(localAddress);
  if (localPort) validateNumber(localPort, 'options.localPort');
  const port = readPort(options.port);
  const { autoSelectFamily } = options;
  if (autoSelectFamily != null) validateBoolean(autoSelectFamily, 'options.autoSelectFamily');
  let timeout = getDefaultAutoSelectFamilyAttemptTimeout();
  if (options.autoSelectFamilyAttemptTimeout != null) {
    validateInt32(options.autoSelectFamilyAttemptTimeout, 'options.autoSelectFamilyAttemptTimeout', 1);
    timeout = Math.max(options.autoSelectFamilyAttemptTimeout, kMinAttemptTimeout);
  }

  const family = isIP(host);
  if (family !== 0) {
    process.nextTick(() => {
      if (socket.connecting) connectTo(socket, { address: host, port, family, localAddress, localPort });
    });
    return;
  }
  if (options.lookup != null) validateFunction(options.lookup, 'options.lookup');
  socket._host = host;
  const settings = { host, port, localAddress, localPort, dnsOptions: readDnsOptions(options),
    lookup: options.lookup || require('dns').lookup };
  const wanted = settings.dnsOptions.family;
  if ((autoSelectFamily ?? getDefaultAutoSelectFamily()) && wanted !== 4 && wanted !== 6 && !localAddress) {
    lookupSeveral(socket, settings, options, timeout);
  } else {
    lookupOne(socket, settings, options);
  }
}

module.exports = {
  connectPath,
  lookupAndConnect,
  getDefaultAutoSelectFamily,
  setDefaultAutoSelectFamily,
  getDefaultAutoSelectFamilyAttemptTimeout,
  setDefaultAutoSelectFamilyAttemptTimeout,
};

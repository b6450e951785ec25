'use strict';

// dns.lookup() and dns.lookupService(): the system's own resolver, in a form that both the callbacks and the promises use.

const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_MISSING_ARGS },
  DNSException,
} = require('#internal/errors');
const {
  validateBoolean,
  validateFunction,
  validateNumber,
  validateOneOf,
  validatePort,
  validateString,
} = require('#internal/validators');
const { isIP } = require('#net/ip');
const measure = require('#net/measure');

const V4MAPPED = 8;
const ALL = 16;
const ADDRCONFIG = 32;
const kOrders = ['verbatim', 'ipv4first', 'ipv6first'];

/** The default order; a flag of the command line may set it. */
let defaultOrder;

function getDefaultResultOrder() {
  return (defaultOrder ??= orderFromFlags());
}

function orderFromFlags() {
  const value = require('#runtime/options').getOptionValue('--dns-result-order');
  return kOrders.includes(value) ? value : 'verbatim';
}

/** @param {string} order */
function setDefaultResultOrder(order) {
  validateOneOf(order, 'dnsOrder', kOrders);
  defaultOrder = order;
}

function validateHints(hints) {
  if ((hints & ~(ADDRCONFIG | ALL | V4MAPPED)) !== 0) throw new ERR_INVALID_ARG_VALUE('hints', hints);
}

function readOptions(options) {
  const read = { hints: 0, family: 0, all: false, order: getDefaultResultOrder() };
  if (options.hints != null) {
    validateNumber(options.hints, 'options.hints');
    read.hints = options.hints >>> 0;
    validateHints(read.hints);
  }
  if (options.family != null) {
    if (options.family === 'IPv4') read.family = 4;
    else if (options.family === 'IPv6') read.family = 6;
    else {
      validateOneOf(options.family, 'options.family', [0, 4, 6]);
      read.family = options.family;
    }
  }
  if (options.all != null) {
    validateBoolean(options.all, 'options.all');
    read.all = options.all;
  }
  if (options.verbatim != null) {
    validateBoolean(options.verbatim, 'options.verbatim');
    read.order = options.verbatim ? 'verbatim' : 'ipv4first';
  }
  if (options.order != null) {
    validateOneOf(options.order, 'options.order', kOrders.toSorted());
    read.order = options.order;
  }
  return read;
}

/** The second argument of lookup(): a family, or options. */
function readLookupOptions(options) {
  if (typeof options === 'number') {
    validateOneOf(options, 'family', [0, 4, 6]);
    return { hints: 0, family: options, all: false, order: getDefaultResultOrder() };
  }
  if (options !== undefined && typeof options !== 'object') {
    throw new ERR_INVALID_ARG_TYPE('options', ['integer', 'object'], options);
  }
  return readOptions(options ?? {});
}

let warned = false;
function warnOfInvalidHostname(hostname) {
  if (warned) return;
  warned = true;
  process.emitWarning(
    `The provided hostname "${hostname}" is not a valid hostname, and is supported in the dns module solely for compatibility.`,
    'DeprecationWarning',
    'DEP0118',
  );
}

class GetAddrInfoReqWrap {
  constructor(callback, family, hostname) {
    this.callback = callback;
    this.family = family;
    this.hostname = hostname;
  }
}

/** @param {(error: Error | null, addresses?: { address: string, family: number }[]) => void} callback */
function resolveHost(hostname, { family, hints, order }, callback) {
  const measured = measure.begin('dns', 'lookup', { hostname, family, hints, verbatim: order === 'verbatim', order });
  binding('dns').getaddrinfo(hostname, family, hints, kOrders.indexOf(order), (status, list) => {
    if (status !== 0) return callback(new DNSException(status, 'getaddrinfo', hostname));
    const addresses = [];
    for (let i = 0; i < list.length; i += 2) addresses.push({ address: list[i], family: list[i + 1] });
    measure.end(measured, { addresses: addresses.map(({ address }) => address) });
    callback(null, addresses);
  });
}

/**
 * @param {string} hostname
 * @param {number | object} options
 * @param {Function} callback
 */
function lookup(hostname, options, callback) {
  if (hostname) validateString(hostname, 'hostname');
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  if (typeof options === 'number' || options == null || typeof options === 'object') validateFunction(callback, 'callback');
  const read = readLookupOptions(options ?? undefined);
  validateFunction(callback, 'callback');
  if (!hostname) {
    warnOfInvalidHostname(hostname);
    if (read.all) process.nextTick(callback, null, []);
    else process.nextTick(callback, null, null, read.family === 6 ? 6 : 4);
    return {};
  }
  const family = isIP(hostname);
  if (family !== 0) {
    if (read.all) process.nextTick(callback, null, [{ address: hostname, family }]);
    else process.nextTick(callback, null, hostname, family);
    return {};
  }
  resolveHost(hostname, read, (error, addresses) => {
    if (error) callback(error);
    else if (read.all) callback(null, addresses);
    else if (addresses.length === 0) callback(new DNSException(-3008, 'getaddrinfo', hostname));
    else callback(null, addresses[0].address, read.family || addresses[0].family);
  });
  return new GetAddrInfoReqWrap(callback, read.family, hostname);
}

/** The promise form. @param {string} hostname @param {number | object} [options] */
function lookupPromise(hostname, options) {
  if (hostname) validateString(hostname, 'hostname');
  const read = readLookupOptions(options ?? undefined);
  return new Promise((resolve, reject) => {
    if (!hostname) {
      warnOfInvalidHostname(hostname);
      return resolve(read.all ? [] : { address: null, family: read.family === 6 ? 6 : 4 });
    }
    const family = isIP(hostname);
    if (family !== 0) {
      const result = { address: hostname, family };
      return resolve(read.all ? [result] : result);
    }
    resolveHost(hostname, read, (error, addresses) => {
      if (error) reject(error);
      else if (read.all) resolve(addresses);
      else if (addresses.length === 0) reject(new DNSException(-3008, 'getaddrinfo', hostname));
      else resolve(addresses[0]);
    });
  });
}

function validateService(address, port) {
  if (isIP(address) === 0) throw new ERR_INVALID_ARG_VALUE('address', address);
  validatePort(port);
}

/** @returns {Error | undefined} what failed at once */
function resolveService(address, port, callback) {
  const measured = measure.begin('dns', 'lookupService', { host: address, port });
  const error = binding('dns').getnameinfo(address, port | 0, (status, hostname, service) => {
    if (status !== 0) return callback(new DNSException(status, 'getnameinfo', address));
    measure.end(measured, { hostname, service });
    callback(null, hostname, service);
  });
  return error ? new DNSException(error, 'getnameinfo', address) : undefined;
}

class GetNameInfoReqWrap {
  constructor(callback, hostname, port) {
    this.callback = callback;
    this.hostname = hostname;
    this.port = port;
  }
}

/**
 * @param {string} address
 * @param {number} port
 * @param {(error: Error | null, hostname?: string, service?: string) => void} callback
 */
function lookupService(address, port, callback) {
  if (arguments.length !== 3) throw new ERR_MISSING_ARGS('address', 'port', 'callback');
  validateService(address, port);
  validateFunction(callback, 'callback');
  const error = resolveService(address, port, callback);
  if (error) throw error;
  return new GetNameInfoReqWrap(callback, address, port);
}

/** The promise form. */
function lookupServicePromise(address, port) {
  if (arguments.length !== 2) throw new ERR_MISSING_ARGS('address', 'port');
  validateService(address, port);
  return new Promise((resolve, reject) => {
    const error = resolveService(address, port, (failure, hostname, service) => {
      if (failure) reject(failure);
      else resolve({ hostname, service });
    });
    if (error) reject(error);
  });
}

const kCustomPromisifyArgs = require('#internal/util').kCustomPromisifyArgs;
if (kCustomPromisifyArgs !== undefined) {
  for (const [fn, names] of [[lookup, ['address', 'family']], [lookupService, ['hostname', 'service']]]) {
    Object.defineProperty(fn, kCustomPromisifyArgs, { __proto__: null, value: names, enumerable: false });
  }
}

module.exports = {
  ADDRCONFIG,
  ALL,
  V4MAPPED,
  getDefaultResultOrder,
  lookup,
  lookupPromise,
  lookupService,
  lookupServicePromise,
  setDefaultResultOrder,
};

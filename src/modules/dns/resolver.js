'use strict';

// Resolvers: questions to name servers. One native channel a Resolver; the module's own functions use a default one that
// callbacks and promises share.

const {
  codes: { ERR_DNS_SET_SERVERS_FAILED, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_IP_ADDRESS },
  DNSException,
} = require('#internal/errors');
const {
  validateArray,
  validateFunction,
  validateInt32,
  validateString,
  validateUint32,
} = require('#internal/validators');
const { isIP, isIPv4, isIPv6 } = require('#net/ip');
const measure = require('#net/measure');
const { codeOf } = require('#dns/codes');
const { readAnswer, kTypes } = require('#dns/message');

const kDefaultTries = 4;
const kDnsPort = 53;
const UV_EINVAL = -22;
const ARES_ETIMEOUT = 12;
const kBracketed = /^\[([^[\]]*)\]/;
const kWithPort = /(^.+?)(?::(\d+))?$/;

/** rrtype, the question's name in errors, and the method's. */
const kMethods = [
  ['ANY', 'queryAny', 'resolveAny'],
  ['A', 'queryA', 'resolve4'],
  ['AAAA', 'queryAaaa', 'resolve6'],
  ['CAA', 'queryCaa', 'resolveCaa'],
  ['CNAME', 'queryCname', 'resolveCname'],
  ['MX', 'queryMx', 'resolveMx'],
  ['NS', 'queryNs', 'resolveNs'],
  ['TLSA', 'queryTlsa', 'resolveTlsa'],
  ['TXT', 'queryTxt', 'resolveTxt'],
  ['SRV', 'querySrv', 'resolveSrv'],
  ['PTR', 'queryPtr', 'resolvePtr'],
  ['NAPTR', 'queryNaptr', 'resolveNaptr'],
  ['SOA', 'querySoa', 'resolveSoa'],
];

function readConstructorOptions(options) {
  if (options === null || (options !== undefined && typeof options !== 'object')) {
    throw new ERR_INVALID_ARG_TYPE('options', 'Object', options);
  }
  const { timeout = -1, tries = kDefaultTries, maxTimeout = 0 } = options ?? {};
  validateInt32(timeout, 'options.timeout', -1);
  validateInt32(tries, 'options.tries', 1);
  validateUint32(maxTimeout, 'options.maxTimeout');
  return { timeout, tries, maxTimeout };
}

/** "address", "address:port", "[address]:port" as [address, port]. */
function parseServer(server, index) {
  validateString(server, `servers[${index}]`);
  if (isIP(server) !== 0) return [server, kDnsPort];
  const bracketed = kBracketed.exec(server);
  if (bracketed !== null && isIPv6(bracketed[1])) {
    const port = parseInt(server.replace(/^.*\]:/, ''), 10) || kDnsPort;
    return [bracketed[1], port];
  }
  const [, address, port] = kWithPort.exec(server) ?? [];
  if (isIPv4(address)) return [address, parseInt(port, 10) || kDnsPort];
  throw new ERR_INVALID_IP_ADDRESS(server);
}

const serverText = ([address, port]) => (isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`);

/** What callbacks and promises have in common. */
class ResolverBase {
  #native;
  #options;

  constructor(options = undefined) {
    this.#options = readConstructorOptions(options);
  }

  /** Made when first used: the module's default one lies in the start-up snapshot. */
  get _handle() {
    if (this.#native === undefined) {
      const { Resolver } = binding('dns');
      const { timeout, tries, maxTimeout } = this.#options;
      // c-ares doubles its time-out at each try without a limit: with one, we try again ourselves.
      this.#native = maxTimeout > 0
        ? new Resolver(timeout < 0 ? maxTimeout : Math.min(timeout, maxTimeout), 1)
        : new Resolver(timeout, tries);
    }
    return this.#native;
  }

  /** Leaves the old channel to its queries. */
  _renew() {
    this.#native = undefined;
  }

  cancel() {
    this._handle.cancel();
  }

  getServers() {
    return this._handle.getServers() || [];
  }

  setServers(servers) {
    validateArray(servers, 'servers');
    const parsed = [];
    // Holes are no servers; a getter may shorten the list.
    servers.forEach((server, index) => parsed.push(parseServer(server, index)));
    const status = this._handle.setServers(parsed.map(serverText).join(','));
    if (status !== 0) {
      throw new ERR_DNS_SET_SERVERS_FAILED(status < 0 ? 'There are pending queries.' : codeOf(status), servers);
    }
  }

  setLocalAddress(ipv4, ipv6) {
    validateString(ipv4, 'ipv4');
    if (ipv6 !== undefined) validateString(ipv6, 'ipv6');
    const families = [isIP(ipv4), ipv6 === undefined ? 0 : isIP(ipv6)];
    if (families[0] === 0 || (ipv6 !== undefined && (families[1] === 0 || families[1] === families[0]))) {
      throw invalidLocalAddress(families, ipv6);
    }
    this._handle.setLocalAddress(ipv4);
    if (ipv6 !== undefined) this._handle.setLocalAddress(ipv6);
  }

  /** @param {(error: Error | null, result?: unknown) => void} done */
  _query(type, binding, name, withTtl, done) {
    const fail = (code) => done(new DNSException(code, binding, name));
    const measured = measure.begin('dns', binding, { host: name, ttl: withTtl });
    const { tries, maxTimeout } = this.#options;
    let left = maxTimeout > 0 ? tries - 1 : 0;
    const ask = (callback) => this._handle.query(toAscii(name), kTypes[type], callback);
    const status = ask(function onAnswer(answered, bytes) {
      if (answered === ARES_ETIMEOUT && left-- > 0) return ask(onAnswer);
      if (answered !== 0) return fail(codeOf(answered));
      const result = readAnswer(bytes, type, withTtl);
      if (typeof result === 'string') return fail(result);
      measure.end(measured, { result });
      done(null, result);
    });
    if (status !== 0) throw new DNSException(codeOf(status), binding, name);
  }

  _reverse(address, done) {
    const status = this._handle.reverse(address, (answered, names) => {
      if (answered !== 0) done(new DNSException(codeOf(answered), 'getHostByAddr', address));
      else done(null, names);
    });
    if (status !== 0) throw new DNSException(status < 0 ? UV_EINVAL : codeOf(status), 'getHostByAddr', address);
  }
}

function invalidLocalAddress([first, second], ipv6) {
  const invalid = first === 0 || (ipv6 !== undefined && second === 0);
  const error = new TypeError(invalid ? 'Invalid IP address.' : `Cannot specify two IPv${first} addresses.`);
  error.code = 'ERR_INVALID_ARG_VALUE';
  return error;
}

 
const toAscii = (name) => (/[^\x00-\x7f]/.test(name) ? require('url').domainToASCII(name) : name);

class QueryReqWrap {
  constructor(bindingName, callback, hostname, ttl) {
    this.bindingName = bindingName;
    this.callback = callback;
    this.hostname = hostname;
    this.ttl = ttl;
  }
}

/** dns.Resolver: with callbacks. */
class Resolver extends ResolverBase {
  resolve(hostname, rrtype, callback) {
    let method;
    if (typeof rrtype === 'string') {
      method = methodOf(rrtype);
    } else if (typeof rrtype === 'function') {
      method = 'resolve4';
      callback = rrtype;
    } else {
      throw new ERR_INVALID_ARG_TYPE('rrtype', 'string', rrtype);
    }
    if (method === undefined) throw new ERR_INVALID_ARG_VALUE('rrtype', rrtype);
    return this[method](hostname, callback);
  }

  reverse(ip, callback) {
    validateString(ip, 'ip');
    validateFunction(callback, 'callback');
    this._reverse(ip, (error, names) => (error ? callback(error) : callback(null, names)));
    return new QueryReqWrap('getHostByAddr', callback, ip, false);
  }
}

const methodOf = (rrtype) => kMethods.find(([type]) => type === rrtype)?.[2];

/** dns.promises.Resolver. */
class PromisesResolver extends ResolverBase {
  resolve(hostname, rrtype = 'A') {
    validateString(rrtype, 'rrtype');
    const method = methodOf(rrtype);
    if (method === undefined) throw new ERR_INVALID_ARG_VALUE('rrtype', rrtype);
    return this[method](hostname);
  }

  reverse(ip) {
    validateString(ip, 'ip');
    return new Promise((resolve, reject) => {
      this._reverse(ip, (error, names) => (error ? reject(error) : resolve(names)));
    });
  }
}

function addMethod(Class, name, method) {
  Object.defineProperty(method, 'name', { __proto__: null, value: name });
  Class.prototype[name] = method;
}

for (const [type, binding, name] of kMethods) {
  addMethod(Resolver, name, function (hostname, options, callback) {
    if (arguments.length === 2) {
      callback = options;
      options = undefined;
    }
    validateString(hostname, 'name');
    validateFunction(callback, 'callback');
    const ttl = Boolean(options?.ttl);
    this._query(type, binding, hostname, ttl, (error, result) => (error ? callback(error) : callback(null, result)));
    return new QueryReqWrap(binding, callback, hostname, ttl);
  });
  addMethod(PromisesResolver, name, function (hostname, options) {
    validateString(hostname, 'name');
    return new Promise((resolve, reject) => {
      this._query(type, binding, hostname, Boolean(options?.ttl), (error, result) => (error ? reject(error) : resolve(result)));
    });
  });
}
Object.defineProperty(PromisesResolver, 'name', { __proto__: null, value: 'Resolver' });

for (const [Class, names] of [[Resolver, ['resolve', 'reverse']], [PromisesResolver, ['resolve', 'reverse']]]) {
  for (const name of names) {
    if (!Object.hasOwn(Class.prototype, name)) continue;
    Object.defineProperty(Class.prototype, name, { __proto__: null, enumerable: true });
  }
}

/** The default one's channel is one for callbacks and promises. */
const defaultCallbacks = new Resolver();
const defaultPromises = new PromisesResolver();
for (const method of ['_query', '_reverse', 'cancel', 'getServers', 'setServers', 'setLocalAddress', '_renew']) {
  Object.defineProperty(defaultPromises, method, {
    __proto__: null,
    value: (...args) => defaultCallbacks[method](...args),
    enumerable: false,
  });
}

const kBound = ['getServers', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'resolveCaa', 'resolveCname', 'resolveMx',
  'resolveNaptr', 'resolveNs', 'resolvePtr', 'resolveSoa', 'resolveSrv', 'resolveTlsa', 'resolveTxt', 'reverse'];

/** The functions of a module: methods of its default resolver. */
function boundMethods(resolver) {
  return Object.fromEntries(kBound.map((name) => [name, resolver[name].bind(resolver)]));
}

/** Servers of the default resolver; queries under way keep the old ones. */
function setDefaultServers(servers) {
  const fresh = new Resolver();
  fresh.setServers(servers);
  defaultCallbacks._renew();
  defaultCallbacks.setServers(servers);
}

module.exports = { setDefaultServers, Resolver, PromisesResolver, defaultCallbacks, defaultPromises, boundMethods };

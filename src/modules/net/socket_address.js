'use strict';

// net.SocketAddress: an address, its port, family and flow label.

const {
  codes: { ERR_INVALID_ADDRESS, ERR_INVALID_ARG_VALUE },
} = require('#internal/errors');
const { validateObject, validateString, validatePort, validateUint32 } = require('#internal/validators');
const { isIPv4, isIPv6, parseV6, formatV6 } = require('#net/ip');

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const cloneSymbol = Symbol.for('gyre.messaging.clone');
const deserializeSymbol = Symbol.for('gyre.messaging.deserialize');

/** @param {string} host what a URL parser makes of it: "1.2" is "1.0.0.2" */
function hostOf(url) {
  const { hostname } = url;
  return hostname.startsWith('[') ? { address: hostname.slice(1, -1), family: 'ipv6' } : { address: hostname, family: 'ipv4' };
}

class SocketAddress {
  #address;
  #port;
  #family;
  #flowlabel;

  /** @param {unknown} value @returns {value is SocketAddress} */
  static isSocketAddress(value) {
    return typeof value === 'object' && value !== null && #address in value;
  }

  /**
   * @param {string} input "ADDRESS[:PORT]" with brackets about an IPv6 address
   * @returns {SocketAddress | undefined}
   */
  static parse(input) {
    validateString(input, 'input');
    // A scheme without a default port, of the special kind, so that the host is read as an address.
    const url = URL.parse(`http://${input}`);
    if (url === null) return undefined;
    const { address, family } = hostOf(url);
    const { port } = url;
    if (family === 'ipv4' && !isIPv4(address)) return undefined;
    return new SocketAddress({ address, port: port === '' ? (input.endsWith(':80') ? 80 : 0) : Number(port), family });
  }

  constructor(options = {}) {
    validateObject(options, 'options');
    let { family = 'ipv4' } = options;
    if (typeof family?.toLowerCase === 'function') family = family.toLowerCase();
    if (family !== 'ipv4' && family !== 'ipv6') {
      throw new ERR_INVALID_ARG_VALUE('options.family', options.family);
    }
    const { address = family === 'ipv4' ? '127.0.0.1' : '::', port = 0, flowlabel = 0 } = options;
    validateString(address, 'options.address');
    validatePort(port, 'options.port');
    validateUint32(flowlabel, 'options.flowlabel', false);
    if (!(family === 'ipv4' ? isIPv4(address) : isIPv6(address))) throw new ERR_INVALID_ADDRESS();
    this.#address = family === 'ipv4' ? address : formatV6(parseV6(address));
    this.#port = port | 0;
    this.#family = family;
    this.#flowlabel = family === 'ipv4' ? 0 : flowlabel;
  }

  get address() {
    return this.#address;
  }

  get port() {
    return this.#port;
  }

  get family() {
    return this.#family;
  }

  get flowlabel() {
    return this.#flowlabel;
  }

  toJSON() {
    return { address: this.address, port: this.port, family: this.family, flowlabel: this.flowlabel };
  }

  [inspectCustom](depth, options) {
    if (depth < 0) return this;
    const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    return `SocketAddress ${require('util').inspect(this.toJSON(), inner)}`;
  }

  [cloneSymbol]() {
    return { data: this.toJSON(), deserializeInfo: 'net/socket_address:SocketAddress' };
  }

  [deserializeSymbol](data) {
    this.#address = data.address;
    this.#port = data.port;
    this.#family = data.family;
    this.#flowlabel = data.flowlabel;
  }
}

Object.defineProperties(SocketAddress, {
  isSocketAddress: { __proto__: null, enumerable: false },
  parse: { __proto__: null, enumerable: false },
});

module.exports = { SocketAddress };

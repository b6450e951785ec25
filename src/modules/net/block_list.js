'use strict';

// net.BlockList: rules about addresses, and whether an address falls under one.

const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE },
} = require('#internal/errors');
const { validateInt32, validateString } = require('#internal/validators');
const { isIPv4, isIPv6, parseV4, parseV6, mappedV4 } = require('#net/ip');
const { SocketAddress } = require('#net/socket_address');

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const cloneSymbol = Symbol.for('gyre.messaging.clone');
const deserializeSymbol = Symbol.for('gyre.messaging.deserialize');
const kFamilyText = { ipv4: 'IPv4', ipv6: 'IPv6' };

function compareBytes(a, b) {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return 0;
}

function bytesOf(address, family) {
  return family === 'ipv4' ? parseV4(address) : parseV6(address);
}

/** The bytes of `bytes` as a rule of `length` bytes sees them, or undefined when the two cannot be compared. */
function comparable(bytes, length) {
  if (bytes.length === length) return bytes;
  if (length === 4) return mappedV4(bytes);
  const mapped = new Uint8Array(16);
  mapped[10] = mapped[11] = 255;
  mapped.set(bytes, 12);
  return mapped;
}

class AddressRule {
  constructor(address) {
    this.bytes = bytesOf(address.address, address.family);
    this.text = `Address: ${kFamilyText[address.family]} ${address.address}`;
  }

  matches(bytes) {
    const other = comparable(bytes, this.bytes.length);
    return other !== undefined && compareBytes(other, this.bytes) === 0;
  }
}

class RangeRule {
  constructor(start, end) {
    this.start = bytesOf(start.address, start.family);
    this.end = bytesOf(end.address, end.family);
    this.text = `Range: ${kFamilyText[start.family]} ${start.address}-${end.address}`;
  }

  matches(bytes) {
    const other = comparable(bytes, this.start.length);
    return other !== undefined && compareBytes(other, this.start) >= 0 && compareBytes(other, this.end) <= 0;
  }
}

class SubnetRule {
  constructor(network, prefix) {
    this.bytes = bytesOf(network.address, network.family);
    this.prefix = prefix;
    this.text = `Subnet: ${kFamilyText[network.family]} ${network.address}/${prefix}`;
  }

  matches(bytes) {
    const other = comparable(bytes, this.bytes.length);
    if (other === undefined) return false;
    const whole = this.prefix >> 3;
    for (let i = 0; i < whole; i++) if (other[i] !== this.bytes[i]) return false;
    const rest = this.prefix & 7;
    return rest === 0 || ((other[whole] ^ this.bytes[whole]) >> (8 - rest)) === 0;
  }
}

function toSocketAddress(value, family, name) {
  if (SocketAddress.isSocketAddress(value)) return value;
  validateString(value, name);
  validateString(family, 'family');
  return new SocketAddress({ address: value, family });
}

const kRulePattern = /^(Address|Range|Subnet): (IPv[46]) (\S+)$/;

class BlockList {
  #rules = [];

  /** @param {unknown} value */
  static isBlockList(value) {
    return typeof value === 'object' && value !== null && #rules in value;
  }

  addAddress(address, family = 'ipv4') {
    this.#rules.unshift(new AddressRule(toSocketAddress(address, family, 'address')));
  }

  addRange(start, end, family = 'ipv4') {
    const first = toSocketAddress(start, family, 'start');
    const last = toSocketAddress(end, family, 'end');
    const rule = new RangeRule(first, last);
    if (rule.start.length !== rule.end.length || compareBytes(rule.start, rule.end) > 0) {
      throw new ERR_INVALID_ARG_VALUE('start', first, 'must come before end');
    }
    this.#rules.unshift(rule);
  }

  addSubnet(network, prefix, family = 'ipv4') {
    const address = toSocketAddress(network, family, 'network');
    validateInt32(prefix, 'prefix', 0, address.family === 'ipv4' ? 32 : 128);
    this.#rules.unshift(new SubnetRule(address, prefix));
  }

  /** @returns {boolean} whether a rule covers the address; text that is no address is covered by none */
  check(address, family = 'ipv4') {
    if (!SocketAddress.isSocketAddress(address)) {
      validateString(address, 'address');
      validateString(family, 'family');
      family = family.toLowerCase();
      if (!(family === 'ipv6' ? isIPv6(address) : isIPv4(address))) return false;
      address = { address, family: family === 'ipv6' ? 'ipv6' : 'ipv4' };
    }
    const bytes = bytesOf(address.address, address.family);
    return this.#rules.some((rule) => rule.matches(bytes));
  }

  #addText(text) {
    const match = kRulePattern.exec(text);
    if (match === null) return;
    const [, kind, version, value] = match;
    const family = version.toLowerCase();
    if (kind === 'Address') return this.addAddress(value, family);
    const [first, second] = value.split(kind === 'Range' ? '-' : '/');
    if (kind === 'Range') return this.addRange(first, second, family);
    this.addSubnet(first, Number(second), family);
  }

  toJSON() {
    return this.rules;
  }

  /** @param {string | string[]} data */
  fromJSON(data) {
    if (Array.isArray(data)) {
      if (data.some((rule) => typeof rule !== 'string')) {
        throw new ERR_INVALID_ARG_TYPE('data', ['string', 'string[]'], data);
      }
    } else if (typeof data !== 'string') {
      throw new ERR_INVALID_ARG_TYPE('data', ['string', 'string[]'], data);
    } else {
      data = JSON.parse(data);
      if (!Array.isArray(data)) throw new ERR_INVALID_ARG_TYPE('data', 'string[]', data);
    }
    for (const rule of data) this.#addText(rule);
  }

  get rules() {
    return this.#rules.map((rule) => rule.text);
  }

  [inspectCustom](depth, options) {
    if (depth < 0) return this;
    const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    return `BlockList ${require('util').inspect({ rules: this.rules }, inner)}`;
  }

  [cloneSymbol]() {
    return { data: this.rules.reverse(), deserializeInfo: 'net/block_list:BlockList' };
  }

  [deserializeSymbol](rules) {
    for (const text of rules) this.#addText(text);
  }
}

Object.defineProperty(BlockList, 'isBlockList', { __proto__: null, enumerable: false });

module.exports = { BlockList };

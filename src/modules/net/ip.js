'use strict';

// Internet addresses as text (RFC 4291 section 2.2, RFC 4007 zones) and as bytes.

const v4Segment = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]\\d|\\d)';
const v4 = `(?:${v4Segment}\\.){3}${v4Segment}`;
const h = '[0-9a-fA-F]{1,4}';
const v6 = [
  `(?:${h}:){7}(?:${h}|:)`,
  `(?:${h}:){6}(?:${v4}|:${h}|:)`,
  `(?:${h}:){5}(?::${v4}|(?::${h}){1,2}|:)`,
  `(?:${h}:){4}(?:(?::${h}){0,1}:${v4}|(?::${h}){1,3}|:)`,
  `(?:${h}:){3}(?:(?::${h}){0,2}:${v4}|(?::${h}){1,4}|:)`,
  `(?:${h}:){2}(?:(?::${h}){0,3}:${v4}|(?::${h}){1,5}|:)`,
  `(?:${h}:){1}(?:(?::${h}){0,4}:${v4}|(?::${h}){1,6}|:)`,
  `(?::(?:(?::${h}){0,5}:${v4}|(?::${h}){1,7}|:))`,
].join('|');
const v4Pattern = new RegExp(`^${v4}$`);
const v6Pattern = new RegExp(`^(?:${v6})(?:%[0-9a-zA-Z-.:]{1,})?$`);

/** @param {unknown} s */
function isIPv4(s) {
  return v4Pattern.test(`${s}`);
}

/** @param {unknown} s */
function isIPv6(s) {
  return v6Pattern.test(`${s}`);
}

/** @param {unknown} s @returns {0 | 4 | 6} */
function isIP(s) {
  if (isIPv4(s)) return 4;
  if (isIPv6(s)) return 6;
  return 0;
}

/** @param {string} text a valid IPv4 address @returns {Uint8Array} its 4 bytes */
function parseV4(text) {
  return Uint8Array.from(text.split('.'), Number);
}

function putGroups(bytes, at, text) {
  if (text === '') return at;
  for (const group of text.split(':')) {
    if (group.includes('.')) {
      bytes.set(parseV4(group), at);
      at += 4;
    } else {
      const value = parseInt(group, 16);
      bytes[at++] = value >> 8;
      bytes[at++] = value & 255;
    }
  }
  return at;
}

/** @param {string} text a valid IPv6 address, its zone ignored @returns {Uint8Array} its 16 bytes */
function parseV6(text) {
  const bytes = new Uint8Array(16);
  const zone = text.indexOf('%');
  const [head, tail] = (zone === -1 ? text : text.slice(0, zone)).split('::');
  putGroups(bytes, 0, head);
  if (tail !== undefined) {
    const end = new Uint8Array(16);
    const length = putGroups(end, 0, tail);
    bytes.set(end.subarray(0, length), 16 - length);
  }
  return bytes;
}

/** The first of the longest runs of zero groups, which RFC 5952 writes as "::". */
function longestZeroRun(groups) {
  let best = { start: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let j = i;
    while (j < 8 && groups[j] === 0) j++;
    if (j - i > best.length) best = { start: i, length: j - i };
    if (j > i) i = j;
  }
  return best;
}

/** @param {Uint8Array} bytes 16 of them @returns {string} the canonical text of RFC 5952, as inet_ntop writes it */
function formatV6(bytes) {
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[2 * i] << 8) | bytes[2 * i + 1]);
  const zero = longestZeroRun(groups);
  const mapped = zero.start === 0 && (zero.length === 6 || (zero.length === 5 && groups[5] === 0xffff));
  const last = mapped ? 6 : 8;
  let text = '';
  for (let i = 0; i < last; i++) {
    if (i === zero.start) {
      text += '::';
      i += zero.length - 1;
      continue;
    }
    if (text !== '' && !text.endsWith(':')) text += ':';
    text += groups[i].toString(16);
  }
  if (mapped) text += `${text.endsWith(':') ? '' : ':'}${bytes.subarray(12).join('.')}`;
  return text;
}

/** The IPv4 bytes inside ::ffff:a.b.c.d, or undefined. */
function mappedV4(bytes) {
  for (let i = 0; i < 10; i++) if (bytes[i] !== 0) return undefined;
  return bytes[10] === 255 && bytes[11] === 255 ? bytes.subarray(12) : undefined;
}

module.exports = { isIP, isIPv4, isIPv6, parseV4, parseV6, formatV6, mappedV4 };

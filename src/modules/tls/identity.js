'use strict';
// Whether a certificate belongs to a host: RFC 6125 (checkServerIdentity), and ALPN's wire form.

const { Buffer } = require('buffer');
const {
  codes: { ERR_OUT_OF_RANGE, ERR_TLS_CERT_ALTNAME_FORMAT, ERR_TLS_CERT_ALTNAME_INVALID },
} = require('#internal/errors');

const lower = (text) => text.replace(/[A-Z]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 32));
const withoutDot = (host) => (host.endsWith('.') ? host.slice(0, -1) : host);
const labelsOf = (host) => lower(withoutDot(host)).split('.');

/** One label may hold one wildcard, in the leftmost place; "*.com" is too wide. */
function matches(hostParts, pattern, wildcards) {
  if (!pattern) return false;
  const patternParts = labelsOf(pattern);
  if (hostParts.length !== patternParts.length) return false;
  if (patternParts.includes('')) return false;
  // Only ASCII: names of other alphabets come in their A-label form.
  if (patternParts.some((part) => /[^\u0021-\u007F]/.test(part))) return false;
  for (let i = hostParts.length - 1; i > 0; i--) if (hostParts[i] !== patternParts[i]) return false;
  const [hostLabel] = hostParts;
  const [patternLabel] = patternParts;
  const wildcardParts = patternLabel.split('*');
  if (wildcardParts.length === 1 || patternLabel.includes('xn--')) return hostLabel === patternLabel;
  if (!wildcards) return false;
  if (wildcardParts.length > 2) return false;
  if (patternParts.length <= 2) return false;
  const [prefix, suffix] = wildcardParts;
  if (prefix.length + suffix.length > hostLabel.length) return false;
  return hostLabel.startsWith(prefix) && hostLabel.endsWith(suffix);
}

/** Splits 'DNS:a, IP Address:b', where a name that could mislead is a JSON string. */
function splitAltNames(text) {
  const names = [];
  let current = '';
  let offset = 0;
  while (offset !== text.length) {
    const comma = text.indexOf(', ', offset);
    const quote = text.indexOf('"', offset);
    if (quote !== -1 && (comma === -1 || quote < comma)) {
      current += text.slice(offset, quote);
      const match = /^"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/.exec(text.slice(quote));
      if (match === null) throw new ERR_TLS_CERT_ALTNAME_FORMAT();
      current += JSON.parse(match[0]);
      offset = quote + match[0].length;
    } else if (comma !== -1) {
      current += text.slice(offset, comma);
      names.push(current);
      current = '';
      offset = comma + 2;
    } else {
      current += text.slice(offset);
      offset = text.length;
    }
  }
  names.push(current);
  return names;
}

let canonicalizeIP;
/** The one way to write an address, so that two ways compare equal. */
function canonicalAddress(address) {
  canonicalizeIP ??= (text) => {
    const { isIPv4, isIPv6 } = require('net');
    if (isIPv4(text)) return text;
    if (!isIPv6(text)) return undefined;
    return new URL(`http://[${text.split('%')[0]}]/`).hostname;
  };
  return canonicalizeIP(address);
}

function readAltNames(altNames) {
  const dns = [];
  const ips = [];
  if (!altNames) return { dns, ips };
  const split = altNames.includes('"') ? splitAltNames(altNames) : altNames.split(', ');
  for (const name of split) {
    if (name.startsWith('DNS:')) dns.push(name.slice(4));
    else if (name.startsWith('IP Address:')) ips.push(canonicalAddress(name.slice(11)));
  }
  return { dns, ips };
}

/** What is wrong with `cert` for `hostname`, as an Error, or undefined. */
function checkServerIdentity(hostname, cert) {
  const { isIP } = require('net');
  const { subject, subjectaltname: altNames } = cert;
  const { dns, ips } = readAltNames(altNames);
  hostname = `${hostname}`;
  let valid = false;
  let reason = 'Unknown reason';
  hostname = withoutDot(hostname);
  if (isIP(hostname)) {
    valid = ips.includes(canonicalAddress(hostname));
    if (!valid) reason = `IP: ${hostname} is not in the cert's list: ${ips.join(', ')}`;
  } else if (dns.length > 0 || subject?.CN) {
    const hostParts = labelsOf(hostname);
    if (dns.length > 0) {
      valid = dns.some((pattern) => matches(hostParts, pattern, true));
      if (!valid) reason = `Host: ${hostname}. is not in the cert's altnames: ${altNames}`;
    } else {
      const cn = subject.CN;
      valid = Array.isArray(cn) ? cn.some((name) => matches(hostParts, name, true)) : matches(hostParts, cn, true);
      if (!valid) reason = `Host: ${hostname}. is not cert's CN: ${cn}`;
    }
  } else {
    reason = 'Cert does not contain a DNS name';
  }
  if (!valid) return new ERR_TLS_CERT_ALTNAME_INVALID(reason, hostname, cert);
}

/** `['h2', 'http/1.1']` or ready bytes as the wire form of ALPN (RFC 7301). */
function convertALPNProtocols(protocols, out) {
  if (Array.isArray(protocols)) {
    const pieces = [];
    protocols.forEach((protocol, i) => {
      const length = Buffer.byteLength(protocol);
      if (length > 255) {
        throw new ERR_OUT_OF_RANGE(`The byte length of the protocol at index ${i} exceeds the maximum length.`,
          '<= 255', length, true);
      }
      pieces.push(Buffer.from([length]), Buffer.from(protocol));
    });
    out.ALPNProtocols = Buffer.concat(pieces);
  } else if (protocols instanceof Uint8Array) {
    out.ALPNProtocols = Buffer.from(protocols);
  } else if (ArrayBuffer.isView(protocols)) {
    out.ALPNProtocols = Buffer.from(protocols.buffer.slice(protocols.byteOffset,
      protocols.byteOffset + protocols.byteLength));
  }
}

module.exports = { checkServerIdentity, convertALPNProtocols };

'use strict';

// `node:punycode` (deprecated): RFC 3492.

/** Dependencies that still use the module are not the program's to fix. */
function requiredByDependency() {
  const frames = new Error().stack?.split('\n').slice(1) ?? [];
  const user = frames.find((frame) => !frame.includes('node:'));
  return user !== undefined && /[/\\]node_modules[/\\]/.test(user);
}

if (!requiredByDependency()) {
  process.emitWarning('The `punycode` module is deprecated. Please use a userland alternative instead.',
    'DeprecationWarning', 'DEP0040');
}

const kMaxInt = 2147483647;
const kBase = 36;
const kTMin = 1;
const kTMax = 26;
const kSkew = 38;
const kDamp = 700;
const kInitialBias = 72;
const kInitialN = 128;
const kSeparators = /[\x2E\u3002\uFF0E\uFF61]/g;

const kMessages = {
  '__proto__': null,
  'overflow': 'Overflow: input needs wider integers to process',
  'not-basic': 'Illegal input >= 0x80 (not a basic code point)',
  'invalid-input': 'Invalid input',
};

function fail(kind) {
  throw new RangeError(kMessages[kind]);
}

/** Applies `convert` to each label of a domain name or e-mail address. */
function mapDomain(domain, convert) {
  const at = domain.indexOf('@');
  let prefix = '';
  if (at !== -1) {
    prefix = domain.slice(0, at + 1);
    const rest = domain.slice(at + 1);
    const second = rest.indexOf('@');
    domain = second === -1 ? rest : rest.slice(0, second);
  }
  return prefix + domain.replace(kSeparators, '.').split('.').map(convert).join('.');
}

function ucs2decode(string) {
  const output = [];
  for (let i = 0; i < string.length; i++) {
    const code = string.codePointAt(i);
    output.push(code);
    if (code > 0xffff) i++;
  }
  return output;
}

const ucs2encode = (codePoints) => String.fromCodePoint(...codePoints);

function digitOf(code) {
  if (code >= 0x30 && code < 0x3a) return 26 + (code - 0x30);
  if (code >= 0x41 && code < 0x5b) return code - 0x41;
  if (code >= 0x61 && code < 0x7b) return code - 0x61;
  return kBase;
}

const codeOf = (digit) => (digit < 26 ? digit + 97 : digit + 22);

function adapt(delta, points, first) {
  let k = 0;
  delta = first ? Math.floor(delta / kDamp) : delta >> 1;
  delta += Math.floor(delta / points);
  for (; delta > ((kBase - kTMin) * kTMax) >> 1; k += kBase) delta = Math.floor(delta / (kBase - kTMin));
  return Math.floor(k + ((kBase - kTMin + 1) * delta) / (delta + kSkew));
}

const threshold = (k, bias) => (k <= bias ? kTMin : k >= bias + kTMax ? kTMax : k - bias);

function decode(input) {
  const output = [];
  let i = 0;
  let n = kInitialN;
  let bias = kInitialBias;
  const basic = Math.max(input.lastIndexOf('-'), 0);
  for (let j = 0; j < basic; j++) {
    if (input.charCodeAt(j) >= 0x80) fail('not-basic');
    output.push(input.charCodeAt(j));
  }
  for (let index = basic > 0 ? basic + 1 : 0; index < input.length;) {
    const before = i;
    for (let weight = 1, k = kBase; ; k += kBase) {
      if (index >= input.length) fail('invalid-input');
      const digit = digitOf(input.charCodeAt(index++));
      if (digit >= kBase) fail('invalid-input');
      if (digit > Math.floor((kMaxInt - i) / weight)) fail('overflow');
      i += digit * weight;
      const t = threshold(k, bias);
      if (digit < t) break;
      if (weight > Math.floor(kMaxInt / (kBase - t))) fail('overflow');
      weight *= kBase - t;
    }
    const points = output.length + 1;
    bias = adapt(i - before, points, before === 0);
    if (Math.floor(i / points) > kMaxInt - n) fail('overflow');
    n += Math.floor(i / points);
    i %= points;
    output.splice(i++, 0, n);
  }
  return String.fromCodePoint(...output);
}

/** The variable-length integer for one delta. */
function encodeDelta(delta, bias) {
  let out = '';
  let q = delta;
  for (let k = kBase; ; k += kBase) {
    const t = threshold(k, bias);
    if (q < t) break;
    out += String.fromCharCode(codeOf(t + ((q - t) % (kBase - t))));
    q = Math.floor((q - t) / (kBase - t));
  }
  return out + String.fromCharCode(codeOf(q));
}

function encode(input) {
  const points = ucs2decode(input);
  let output = '';
  for (const point of points) if (point < 0x80) output += String.fromCharCode(point);
  const basic = output.length;
  let handled = basic;
  if (basic > 0) output += '-';
  let n = kInitialN;
  let delta = 0;
  let bias = kInitialBias;
  while (handled < points.length) {
    let next = kMaxInt;
    for (const point of points) if (point >= n && point < next) next = point;
    if (next - n > Math.floor((kMaxInt - delta) / (handled + 1))) fail('overflow');
    delta += (next - n) * (handled + 1);
    n = next;
    for (const point of points) {
      if (point < n && ++delta > kMaxInt) fail('overflow');
      if (point !== n) continue;
      output += encodeDelta(delta, bias);
      bias = adapt(delta, handled + 1, handled === basic);
      delta = 0;
      handled++;
    }
    delta++;
    n++;
  }
  return output;
}

function toUnicode(input) {
  return mapDomain(input, (label) => (label.startsWith('xn--') ? decode(label.slice(4).toLowerCase()) : label));
}

function toASCII(input) {
  return mapDomain(input, (label) => (/[^\0-\x7F]/.test(label) ? `xn--${encode(label)}` : label));
}

module.exports = {
  version: '2.1.0',
  ucs2: { decode: ucs2decode, encode: ucs2encode },
  decode,
  encode,
  toASCII,
  toUnicode,
};

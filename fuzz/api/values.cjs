'use strict';

// Odd arguments, all drawn from one seeded generator.

/**
 * mulberry32: small and good enough to draw from.
 * @param {number} seed
 * @returns {(below: number) => number}
 */
function makeRandom(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

// Harmless as paths in a scratch folder, as shell commands and as host names.
const kTexts = [
  '', 'x', 'a\0b', '\ud800', 'é\udfff€', '0', '-1', '1e999', 'length', '__proto__', 'constructor', 'utf8', 'base64', 'hex', 'utf16le',
  'latin1', 'sha256', 'aes-128-cbc', 'error', 'data', 'close', 'GET', 'http://a.invalid/', '127.0.0.1', '::1', '%00', '%ff%fe', '{}', '[',
  'file', '\r\n', 'a: b\r\n', 'x'.repeat(70000), 'é'.repeat(5000), '€\ud800'.repeat(3000), '😀', '*', '(', '\u2028', 'raw', 'pem', 'rsa', 'ed25519', 'prime256v1',
];
const kNumbers = [
  0, -0, 1, -1, 2, 3, 7, 8, 16, 255, 256, 65535, 65536, 0.5, -0.5, NaN, Infinity, -Infinity, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 32 - 1, 2 ** 32,
  2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e20, 1e308, 4294967297.5,
];
const kBigs = [0n, -1n, 1n, 2n ** 63n, -(2n ** 63n), 2n ** 64n - 1n, 2n ** 200n];
// Names that options objects have in one module or another.
const kKeys = [
  'length', 'encoding', 'signal', 'highWaterMark', 'size', 'offset', 'position', 'flags', 'mode', 'recursive', 'objectMode', 'key', 'iv', 'name',
  'type', 'format', 'modulusLength', 'namedCurve', 'level', 'windowBits', 'chunkSize', 'dictionary', 'family', 'all', 'port', 'host', 'path', 'headers', 'method',
  'cwd', 'env', 'timeout', 'maxBuffer', 'input', 'depth', 'colors', 'transfer', 'message', 'code', 'cause', 'start', 'end', 'autoClose', 'then', 'data',
  'buffer', 'byteLength', 'byteOffset', 'toString', 'callback', 'once', 'passive', 'filename', 'lineOffset', 'cachedData', 'contextName', 'importModuleDynamically', 'parameters',
];

/** Arguments of one round; `live` are the buffers that accessors detach or shrink while a call runs. */
class Values {
  /** @param {number} seed */
  constructor(seed) {
    this.random = makeRandom(seed);
    this.live = [];
    this.depth = 0;
  }

  pick(list) { return list[this.random(list.length)]; }

  /** What an accessor or a trap does in the middle of a call. */
  disturb() {
    const buffer = this.live.length > 0 ? this.pick(this.live) : undefined;
    switch (this.random(7)) {
      case 0: throw new Error('odd getter');
      case 1: if (buffer instanceof ArrayBuffer) try { buffer.transfer(); } catch { /* detached already */ } break;
      case 2: if (buffer?.resizable) try { buffer.resize(0); } catch { /* detached already */ } break;
      case 3: if (this.random(20) === 0) globalThis.gc?.(); break;
      case 4: throw this.pick([undefined, null, 1, Symbol('thrown')]);
      default:
    }
  }

  keep(buffer) {
    if (this.live.length > 40) this.live.splice(0, 20);
    this.live.push(buffer);
    return buffer;
  }

  memory() {
    const size = this.pick([0, 1, 3, 8, 16, 64, 100, 4096, 20000]);
    switch (this.random(6)) {
      case 0: return this.keep(new ArrayBuffer(size, { maxByteLength: size + this.pick([0, 1, 4096]) }));
      case 1: return new SharedArrayBuffer(size);
      case 2: return new SharedArrayBuffer(size, { maxByteLength: size + 4096 });
      case 3: { const gone = new ArrayBuffer(size); gone.transfer(); return gone; }
      default: return this.keep(new ArrayBuffer(size));
    }
  }

  view() {
    const Kind = this.pick([Uint8Array, Buffer, Uint16Array, Float64Array, BigInt64Array, DataView, Uint8ClampedArray, Int32Array]);
    if (this.random(4) === 0 && Kind !== DataView && Kind !== Buffer) return new Kind(this.random(20)); // may lie in the heap
    try {
      const memory = this.memory();
      const view = Kind === Buffer ? Buffer.from(memory) : this.random(2) ? new Kind(memory) : new Kind(memory, 0, 1);
      if (this.random(8) === 0 && memory.resizable) memory.resize(0);
      if (this.random(12) === 0 && memory instanceof ArrayBuffer) memory.transfer();
      return view;
    } catch {
      return Buffer.from('plain');
    }
  }

  text() {
    if (this.random(60) === 0) return 'long'.repeat(this.pick([1 << 12, 1 << 16, 1 << 18]));
    if (this.random(6) === 0) return this.pick(kKeys);
    return this.pick(kTexts);
  }

  func() {
    const values = this;
    switch (this.random(6)) {
      case 0: return function thrower() { values.disturb(); throw new Error('odd callback'); };
      case 1: return (...args) => { values.disturb(); return args[args.length - 1]; };
      case 2: return function callsBack(...args) { for (const a of args) if (typeof a === 'function') a(); };
      case 3: return async () => { values.disturb(); };
      case 4: return class Odd { constructor() { values.disturb(); } };
      default: return () => {};
    }
  }

  /** An object with accessors for some of the names that options have. */
  options() {
    const object = this.random(5) === 0 ? Object.create(null) : {};
    for (let i = this.random(6); i > 0; i--) {
      const value = this.any();
      const name = this.pick(kKeys);
      if (this.random(3) === 0) {
        Object.defineProperty(object, name, { get: () => { this.disturb(); return value; }, set() {}, enumerable: true, configurable: true });
      } else if (name !== 'toString' && name !== 'then') {
        object[name] = value;
      }
    }
    return object;
  }

  primitiveMaker() {
    return {
      valueOf: () => { this.disturb(); return this.pick(kNumbers); },
      toString: () => { this.disturb(); return this.pick(kTexts); },
      [Symbol.toPrimitive]: this.random(2) ? undefined : () => { this.disturb(); return this.pick([1, 'x', NaN]); },
    };
  }

  proxy() {
    const target = this.random(2) ? this.func() : this.random(2) ? [] : this.options();
    const disturb = () => this.disturb();
    if (this.random(4) === 0) {
      const { proxy, revoke } = Proxy.revocable(target, {});
      if (this.random(2)) revoke(); else process.nextTick(revoke);
      return proxy;
    }
    return new Proxy(target, {
      get(of, name, receiver) { disturb(); return Reflect.get(of, name, receiver); },
      has(of, name) { disturb(); return Reflect.has(of, name); },
      ownKeys(of) { disturb(); return Reflect.ownKeys(of); },
      getPrototypeOf(of) { disturb(); return Reflect.getPrototypeOf(of); },
      getOwnPropertyDescriptor(of, name) { disturb(); return Reflect.getOwnPropertyDescriptor(of, name); },
    });
  }

  list() {
    const array = Array.from({ length: this.random(5) }, () => this.any());
    if (this.random(4) === 0) array.length += this.random(4);
    if (this.random(4) === 0) {
      Object.defineProperty(array, 0, { get: () => { this.disturb(); array.length = 0; return 'gone'; }, configurable: true });
    }
    if (this.random(30) === 0) array.length = 2000;
    return array;
  }

  exotic() {
    return this.pick([
      () => new Map([[1, this.any()]]), () => new Set([this.any()]), () => new Date(NaN), () => new Date(), () => /x/g, () => new WeakMap(),
      () => new Error('odd', { cause: this.primitiveMaker() }), () => new URL('http://a.invalid/?q#h'), () => AbortSignal.abort(), () => new AbortController().signal,
      () => Object.assign(Promise.reject(new Error('odd promise')), {}), () => Promise.resolve(this.any()), () => ({ then: this.func() }),
      () => (function* () { yield 1; })(), () => (async function* () { yield Buffer.from('x'); })(), () => new Blob(['x']), () => new TextEncoder(),
      () => ({ length: -1 }), () => ({ length: 2 ** 53 }), () => Object.freeze({ a: 1 }), () => new Number(1), () => new String('\ud800'), () => Object(Symbol('boxed')),
      () => globalThis, () => new ReadableStream(), () => new MessageChannel().port1, () => new EventTarget(), () => new (require('events'))(),
      () => new (require('stream').PassThrough)(),
    ])();
  }

  any() {
    if (++this.depth > 4) { this.depth--; return this.pick(kNumbers); }
    try {
      switch (this.random(16)) {
        case 0: return undefined;
        case 1: return null;
        case 2: return this.random(2) === 0;
        case 3: case 4: return this.pick(kNumbers);
        case 5: return this.pick(kBigs);
        case 6: case 7: return this.text();
        case 8: return this.pick([Symbol('odd'), Symbol.iterator, Symbol.for('nodejs.util.inspect.custom')]);
        case 9: case 10: return this.view();
        case 11: return this.random(3) ? this.memory() : this.primitiveMaker();
        case 12: return this.options();
        case 13: return this.func();
        case 14: return this.random(2) ? this.list() : this.proxy();
        default: return this.exotic();
      }
    } finally {
      this.depth--;
    }
  }
}

module.exports = { Values };

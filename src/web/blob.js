'use strict';

// Blob, File and blob: URLs (File API). A blob is a list of parts that nobody can change: bytes, or ranges of a file.

const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_STATE, ERR_INVALID_THIS, ERR_MISSING_ARGS },
} = require('#internal/errors');
const { validateObject, validateOneOf } = require('#internal/validators');
const { makeEnumerable, setTag } = require('#web/event');
const { DOMException } = require('#web/dom_exception');
const { inspectFields, inspectSymbol } = require('#web/inspect');
const { TextEncoder, TextDecoder } = require('#web/encoding');
const transferable = require('#web/transferable');

const kChunk = 65536;
const anyObject = { allowArray: true, allowFunction: true, nullable: true };
const invalidType = /[^\u0020-\u007e]/;

/** Bytes in memory. */
class BytesPart {
  constructor(bytes) { this.bytes = bytes; }
  get size() { return this.bytes.length; }
  slice(start, end) { return new BytesPart(this.bytes.subarray(start, end)); }
  async read(start, end) { return this.bytes.subarray(start, end); }
}

/** A range of a file, which must stay as it was when the blob was made. */
class FilePart {
  constructor(path, stamp, start, end) {
    this.path = path;
    this.stamp = stamp;
    this.start = start;
    this.end = end;
  }

  get size() { return this.end - this.start; }
  slice(start, end) { return new FilePart(this.path, this.stamp, this.start + start, this.start + end); }

  async read(start, end) {
    const fs = require('fs/promises');
    const unreadable = () => new DOMException('The blob could not be read', 'NotReadableError');
    let handle;
    try {
      handle = await fs.open(this.path, 'r');
      const { size, mtimeMs } = await handle.stat();
      if (size !== this.stamp.size || mtimeMs !== this.stamp.mtimeMs) throw unreadable();
      const bytes = new Uint8Array(end - start);
      let done = 0;
      while (done < bytes.length) {
        const { bytesRead } = await handle.read(bytes, done, bytes.length - done, this.start + start + done);
        if (bytesRead === 0) throw unreadable();
        done += bytesRead;
      }
      return bytes;
    } catch (error) {
      throw error instanceof DOMException ? error : unreadable();
    } finally {
      await handle?.close();
    }
  }
}

let encoder;

/** Copies one element of the constructor's sequence into parts. */
function partsOf(source, endings) {
  const blobParts = partsOfBlob(source);
  if (blobParts !== undefined) return blobParts;
  if (ArrayBuffer.isView(source)) {
    return [new BytesPart(new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice())];
  }
  const { isAnyArrayBuffer } = require('util/types');
  if (isAnyArrayBuffer(source)) return [new BytesPart(new Uint8Array(source).slice())];
  let text = `${source}`;
  if (endings === 'native') text = text.replace(/\r\n|\r/g, '\n');
  return [new BytesPart((encoder ??= new TextEncoder()).encode(text))];
}

function typeOf(type) {
  const text = `${type}`;
  return invalidType.test(text) ? '' : text.toLowerCase();
}

let partsOfBlob;
let createBlob;

class Blob {
  #parts;
  #size;
  #type;

  static {
    partsOfBlob = (value) => (
      typeof value === 'object' && value !== null && #parts in value ? value.#parts : undefined);
    createBlob = (parts, type) => {
      const blob = new Blob();
      blob.#set(parts, type);
      return blob;
    };
  }

  constructor(sources = [], options = undefined) {
    if (sources === null || typeof sources !== 'object' || typeof sources[Symbol.iterator] !== 'function') {
      throw new ERR_INVALID_ARG_TYPE('sources', 'a sequence', sources);
    }
    if (options !== undefined) validateObject(options, 'options', anyObject);
    const endings = options?.endings === undefined ? 'transparent' : `${options.endings}`;
    validateOneOf(endings, 'options.endings', ['transparent', 'native']);
    const parts = [];
    for (const source of sources) parts.push(...partsOf(source, endings));
    this.#set(parts, options?.type === undefined ? '' : typeOf(options.type));
  }

  #set(parts, type) {
    // An empty file may have to be found changed.
    this.#parts = parts.filter((part) => part.size > 0 || part instanceof FilePart);
    this.#size = this.#parts.reduce((sum, part) => sum + part.size, 0);
    this.#type = type;
  }

  get type() {
    if (partsOfBlob(this) === undefined) throw new ERR_INVALID_THIS('Blob');
    return this.#type;
  }

  get size() {
    if (partsOfBlob(this) === undefined) throw new ERR_INVALID_THIS('Blob');
    return this.#size;
  }

  slice(start = 0, end = undefined, contentType = '') {
    if (partsOfBlob(this) === undefined) throw new ERR_INVALID_THIS('Blob');
    const clamp = (value) => {
      const number = Math.trunc(Number(value)) || 0;
      return number < 0 ? Math.max(this.#size + number, 0) : Math.min(number, this.#size);
    };
    const from = clamp(start);
    const to = end === undefined ? this.#size : clamp(end);
    const parts = [];
    let at = 0;
    for (const part of this.#parts) {
      const low = Math.max(from - at, 0);
      const high = Math.min(to - at, part.size);
      if (low < high) parts.push(part.slice(low, high));
      at += part.size;
    }
    return createBlob(parts, typeOf(contentType));
  }

  async #read() {
    const bytes = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(await part.read(0, part.size), at);
      at += part.size;
    }
    return bytes;
  }

  arrayBuffer() {
    if (partsOfBlob(this) === undefined) return Promise.reject(new ERR_INVALID_THIS('Blob'));
    return this.#read().then((bytes) => bytes.buffer);
  }

  text() {
    if (partsOfBlob(this) === undefined) return Promise.reject(new ERR_INVALID_THIS('Blob'));
    return this.#read().then((bytes) => new TextDecoder().decode(bytes));
  }

  bytes() {
    if (partsOfBlob(this) === undefined) return Promise.reject(new ERR_INVALID_THIS('Blob'));
    return this.#read();
  }

  stream() {
    if (partsOfBlob(this) === undefined) throw new ERR_INVALID_THIS('Blob');
    const { ReadableStream } = require('#web/streams');
    const parts = this.#parts;
    let index = 0;
    let at = 0;
    return new ReadableStream({
      type: 'bytes',
      async pull(controller) {
        while (index < parts.length && parts[index].size === 0) await parts[index++].read(0, 0);
        if (index >= parts.length) {
          controller.close();
          controller.byobRequest?.respond(0);
          return;
        }
        const part = parts[index];
        const end = Math.min(at + kChunk, part.size);
        const bytes = await part.read(at, end);
        at = end;
        if (at === part.size) {
          index++;
          at = 0;
        }
        controller.enqueue(bytes.slice());
      },
    }, { highWaterMark: 0 });
  }

  [transferable.clone]() {
    return ['Blob', { parts: this.#parts.map(describePart), type: this.#type }];
  }

  [inspectSymbol](depth, options) {
    return inspectFields('Blob', { size: this.size, type: this.type }, depth, options);
  }
}

makeEnumerable(Blob.prototype, ['type', 'size', 'slice', 'arrayBuffer', 'text', 'bytes', 'stream']);
setTag(Blob);
transferable.setTransferMode(Blob.prototype, transferable.kCloneable);

function describePart(part) {
  if (part instanceof FilePart) throw new ERR_INVALID_STATE.TypeError('File-backed Blobs are not cloneable');
  // The copy of a view would hold all of the memory that it looks at.
  return part.bytes.slice();
}

function restorePart(bytes) {
  return new BytesPart(bytes);
}

function deserializeBlob({ parts, type }) {
  return createBlob(parts.map(restorePart), type);
}

class File extends Blob {
  #name;
  #lastModified;

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#name in value)) throw new ERR_INVALID_THIS('File');
  }

  constructor(fileBits, fileName, options = undefined) {
    if (arguments.length < 2) throw new ERR_MISSING_ARGS('fileBits', 'fileName');
    super(fileBits, options);
    const lastModified = options?.lastModified;
    this.#lastModified = lastModified === undefined ? Date.now() : Math.trunc(+lastModified) || 0;
    this.#name = `${fileName}`.toWellFormed();
  }

  get name() {
    File.#check(this);
    return this.#name;
  }

  get lastModified() {
    File.#check(this);
    return this.#lastModified;
  }

  [transferable.clone]() {
    const [, state] = super[transferable.clone]();
    return ['File', { ...state, name: this.#name, lastModified: this.#lastModified }];
  }

  [inspectSymbol](depth, options) {
    const fields = { size: this.size, type: this.type, name: this.name, lastModified: this.lastModified };
    return inspectFields('File', fields, depth, options);
  }
}

makeEnumerable(File.prototype, ['name', 'lastModified']);
setTag(File);

function deserializeFile({ parts, type, name, lastModified }) {
  return new File([createBlob(parts.map(restorePart), '')], name, { type, lastModified });
}

// --- blob: URLs ---

const objectURLs = new Map();
const kPrefix = 'blob:nodedata:';

function createObjectURL(object) {
  if (partsOfBlob(object) === undefined) throw new ERR_INVALID_ARG_TYPE('obj', 'Blob', object);
  const id = require('crypto').randomUUID();
  objectURLs.set(id, object);
  return `${kPrefix}${id}`;
}

/** The id in a blob: URL of ours, or undefined. */
function idOf(url) {
  const parsed = require('#web/url').URL.parse(url);
  if (parsed === null || parsed.protocol !== 'blob:') return undefined;
  const [base, id, ...rest] = parsed.pathname.split(':');
  return base === 'nodedata' && id !== undefined && rest.length === 0 ? id : undefined;
}

function revokeObjectURL(url) {
  objectURLs.delete(idOf(url));
}

/** node:buffer's resolveObjectURL: the blob, or undefined. */
function resolveObjectURL(url) {
  const blob = objectURLs.get(idOf(`${url}`));
  return blob?.slice(0, blob.size, blob.type);
}

/** fs.openAsBlob: a blob over a file that has `size` bytes and was changed at `mtimeMs`. */
function createFileBlob(path, { size, mtimeMs }, type = '') {
  return createBlob([new FilePart(path, { size, mtimeMs }, 0, size)], typeOf(type));
}

function isBlob(value) {
  return partsOfBlob(value) !== undefined;
}

module.exports = {
  Blob, File, createFileBlob, createObjectURL, deserializeBlob, deserializeFile, isBlob, resolveObjectURL,
  revokeObjectURL,
};

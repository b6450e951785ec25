'use strict';

// The compile cache (module.enableCompileCache(), NODE_COMPILE_CACHE): compiled code of modules, and JavaScript made of
// TypeScript, kept in files from one run to the next. Entries are checked against the source that they were made of.

const path = require('path');
const fs = require('fs');
const { crc32 } = require('zlib');

const kHeader = 4 * 4;  // magic, hash of the source, hash of the payload, size of the payload
const kMagic = 0x47795243;
const status = { FAILED: 0, ENABLED: 1, ALREADY_ENABLED: 2, DISABLED: 3 };

/** @typedef {{ type: string, name: string, file: string, sourceHash: number, payload?: Buffer, fresh: boolean,
 *   produce?: () => Uint8Array | undefined }} Entry */

/** @type {string | undefined} */
let directory;
let portable = false;
/** @type {Map<string, Entry>} */
const entries = new Map();

const isEnabled = () => directory !== undefined;
const getDirectory = () => directory;

function debug(text) {
  const wanted = process.env.NODE_DEBUG_NATIVE;
  if (wanted !== undefined && wanted.split(',').includes('COMPILE_CACHE')) process._rawDebug(`[compile cache] ${text}`);
}

/** @returns {any} the status, with a directory or a message: what enableCompileCache() gives */
function enable(where, isPortable = false) {
  if (directory !== undefined) return { __proto__: null, status: status.ALREADY_ENABLED, directory };
  if (process.env.NODE_DISABLE_COMPILE_CACHE) {
    debug('Disabled by NODE_DISABLE_COMPILE_CACHE');
    return { __proto__: null, status: status.DISABLED, message: 'Disabled by NODE_DISABLE_COMPILE_CACHE' };
  }
  // Code of another build, or of another user, is none of ours.
  const version = `${process.version}-${process.arch}-${binding('v8').cachedDataVersionTag().toString(16)}-${process.getuid()}`;
  const full = path.join(path.resolve(where), version);
  try {
    fs.mkdirSync(full, { recursive: true });
  } catch (error) {
    return { __proto__: null, status: status.FAILED, message: `Cannot create cache directory: ${error.message}` };
  }
  directory = full;
  portable = isPortable;
  return { __proto__: null, status: status.ENABLED, directory };
}

/** What the environment asks for; a failure there is no reason not to run. */
function startFromEnvironment() {
  const where = process.env.NODE_COMPILE_CACHE;
  if (where) enable(where, process.env.NODE_COMPILE_CACHE_PORTABLE === '1');
}

function pathOf(type, name) {
  let key = name;
  if (portable) {
    const { fileURLToPath } = require('url');
    key = path.relative(directory, name.startsWith('file:') ? fileURLToPath(name) : name);
  }
  return path.join(directory, (crc32(`${type}\u0000${key}`) >>> 0).toString(16));
}

function readPayload(entry) {
  let content;
  const about = `reading cache from ${entry.file} for ${entry.type} ${entry.name}...`;
  try {
    content = fs.readFileSync(entry.file);
  } catch (error) {
    debug(`${about} ${error.code ?? error.message}`);
    return undefined;
  }
  const payload = content.subarray(kHeader);
  const words = content.length >= kHeader ? [0, 4, 8, 12].map((offset) => content.readUInt32LE(offset)) : [];
  if (words[0] !== kMagic || words[3] !== payload.length) {
    debug(`${about} size or magic number mismatch`);
    return undefined;
  }
  if (words[1] !== entry.sourceHash) {
    debug(`${about} code hash mismatch: expected ${words[1]}, actual ${entry.sourceHash}`);
    return undefined;
  }
  if (words[2] !== crc32(payload)) {
    debug(`${about} cache hash mismatch`);
    return undefined;
  }
  debug(`${about} success, size=${payload.length}`);
  return payload;
}

/**
 * What is kept for a source.
 * @param {'CommonJS' | 'ESM' | 'StrippedTypeScript' | 'TransformedTypeScript' | 'TransformedTypeScriptWithSourceMaps'} type
 * @returns {Entry} with a payload if there was one
 */
function lookUp(type, name, source) {
  const key = `${type}\u0000${name}`;
  const sourceHash = crc32(source);
  const known = entries.get(key);
  if (known !== undefined && known.sourceHash === sourceHash) return known;
  const entry = { type, name, file: pathOf(type, name), sourceHash, fresh: false };
  entry.payload = readPayload(entry);
  entries.set(key, entry);
  return entry;
}

/** After compiling: whether V8 took the payload, and what makes a new one. */
function note(entry, rejected, produce) {
  if (entry.payload !== undefined && !rejected) {
    debug(`V8 code cache for ${entry.type} ${entry.name} was accepted, keeping the in-memory entry`);
    return;
  }
  const why = entry.payload === undefined ? 'was not initialized' : 'was rejected';
  debug(`V8 code cache for ${entry.type} ${entry.name} ${why}, initializing the in-memory entry`);
  entry.payload = undefined;
  entry.produce = produce;
}

/** JavaScript made of TypeScript before, or undefined. */
function transpiled(type, name, source) {
  const entry = lookUp(type, name, source);
  const found = entry.payload !== undefined;
  debug(found ? `retrieving transpile cache for ${type} ${name}...success` : `no transpile cache for ${type} ${name}`);
  return found ? entry.payload.toString() : undefined;
}

function saveTranspiled(type, name, source, result) {
  const entry = lookUp(type, name, source);
  debug(`saving transpilation cache for ${type} ${name}`);
  entry.payload = Buffer.from(result);
  entry.fresh = true;
}

/** Written beside its place and moved there, so that nobody reads half of it. */
function write(entry) {
  const about = `writing cache for ${entry.type} ${entry.name} in ${entry.file}...`;
  const header = Buffer.alloc(kHeader);
  [kMagic, entry.sourceHash, crc32(entry.payload), entry.payload.length].forEach(
    (word, index) => header.writeUInt32LE(word >>> 0, index * 4));
  const temporary = `${entry.file}.${process.pid}.${require('worker_threads').threadId}.tmp`;
  try {
    fs.writeFileSync(temporary, Buffer.concat([header, entry.payload]));
    fs.renameSync(temporary, entry.file);
    entry.fresh = false;
    debug(`${about}success`);
  } catch (error) {
    debug(`${about}${error.message}`);
    try {
      fs.unlinkSync(temporary);
    } catch {
      // It may never have been there.
    }
  }
}

function persist() {
  if (directory === undefined) return;
  for (const entry of entries.values()) {
    if (entry.produce !== undefined) {
      const bytes = entry.produce();
      entry.produce = undefined;
      if (bytes !== undefined) {
        entry.payload = Buffer.from(bytes);
        entry.fresh = true;
      }
    }
    const what = `${entry.type} ${entry.name}`;
    if (entry.payload === undefined) debug(`skip persisting ${what} because the cache was not initialized`);
    else if (!entry.fresh) debug(`skip persisting ${what} because cache was the same`);
    else write(entry);
  }
}

/** module.flushCompileCache() */
function flush() {
  persist();
  debug('module.flushCompileCache() finished');
}

module.exports = {
  enable, startFromEnvironment, isEnabled, getDirectory, lookUp, note, transpiled, saveTranspiled, persist, flush, status,
};

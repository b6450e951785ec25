'use strict';

// A resolved URL -> its source, with the import attributes checked.

const {
  codes: {
    ERR_IMPORT_ATTRIBUTE_MISSING, ERR_IMPORT_ATTRIBUTE_TYPE_INCOMPATIBLE, ERR_IMPORT_ATTRIBUTE_UNSUPPORTED, ERR_INVALID_URL,
    ERR_UNKNOWN_FILE_EXTENSION, ERR_UNKNOWN_MODULE_FORMAT,
  },
} = require('#internal/errors');
const hooks = require('#module/hooks');

const typeOfFormat = { __proto__: null, json: 'json' };

/** Only the attribute "type" means anything, and of its values only "json". */
function checkNames(url, attributes) {
  for (const key of Object.keys(attributes)) {
    if (key !== 'type' || attributes.type !== 'json') throw new ERR_IMPORT_ATTRIBUTE_UNSUPPORTED(key, attributes[key], url);
  }
}

/** HTML: a module's type attribute must be what the module is. */
function checkAttributes(url, format, attributes) {
  checkNames(url, attributes);
  const wanted = attributes.type;
  const needed = typeOfFormat[format];
  if (wanted === needed) return;
  if (needed === undefined) {
    throw new ERR_IMPORT_ATTRIBUTE_TYPE_INCOMPATIBLE(url, wanted);
  }
  if (wanted === undefined) throw new ERR_IMPORT_ATTRIBUTE_MISSING(url, 'type', needed);
  throw new ERR_IMPORT_ATTRIBUTE_TYPE_INCOMPATIBLE(url, wanted);
}

function loadData(url) {
  const match = /^data:([^,]*?)(;base64)?,(.*)$/s.exec(url.split('#', 1)[0]);
  if (match === null) throw new ERR_INVALID_URL(url);
  const [, mime, base64, body] = match;
  const format = { '__proto__': null, 'text/javascript': 'module', 'application/javascript': 'module',
                   'application/json': 'json', 'application/wasm': 'wasm' }[mime.split(';', 1)[0].trim().toLowerCase()];
  if (format === undefined) throw new ERR_UNKNOWN_MODULE_FORMAT(mime.split(';', 1)[0], url);
  const text = decodeURIComponent(body);
  return { format, source: Buffer.from(text, base64 ? 'base64' : 'utf8') };
}

function defaultLoad(url, context) {
  let { format } = context;
  const attributes = context.importAttributes ?? {};
  if (url.startsWith('node:')) {
    checkAttributes(url, 'builtin', attributes);
    return { format: 'builtin', source: null };
  }
  if (url.startsWith('data:')) {
    for (const key of Object.keys(attributes)) {
      if (key !== 'type') throw new ERR_IMPORT_ATTRIBUTE_UNSUPPORTED(key, attributes[key], url);
    }
    const loaded = loadData(url);
    checkAttributes(url, format ?? loaded.format, attributes);
    return { format: format ?? loaded.format, source: loaded.source };
  }
  const { fileURLToPath } = require('url');
  const file = fileURLToPath(url);
  if (format === undefined || format === null) {
    checkNames(url, attributes);
    format = require('#module/esm_resolve').formatOf(new URL(url));
    if (format === undefined) throw new ERR_UNKNOWN_FILE_EXTENSION(require('path').extname(file), file);
  }
  checkAttributes(url, format, attributes);
  if (format === 'commonjs') return { format, source: null };
  const source = format === 'wasm' ? require('fs').readFileSync(file) : require('#module/cjs').readSource(file);
  return { format, source };
}

/** What hooks get of the loader: a source whose format is known, also where the source itself had to tell it. */
function loadForHooks(url, context) {
  const result = defaultLoad(url, { ...context, format: context.format ?? undefined });
  if (result.format?.startsWith('detect')) {
    const { isEsm } = require('#module/detect');
    const { fileURLToPath } = require('url');
    const suffix = result.format.slice('detect'.length);
    result.format = (isEsm(result.source, fileURLToPath(url), suffix !== '') ? 'module' : 'commonjs') + suffix;
  }
  if (result.format === 'commonjs') return { ...result, source: null };
  return typeof result.source === 'string' ? { ...result, source: Buffer.from(result.source) } : result;
}

/** The same for hooks of this thread, which get the source of CommonJS too. */
function loadForSyncHooks(url, context) {
  const result = loadForHooks(url, context);
  if (result.format !== 'commonjs' || result.source !== null || !url.startsWith('file:')) return result;
  const { fileURLToPath } = require('url');
  return { ...result, source: Buffer.from(require('#module/cjs').readSource(fileURLToPath(url))) };
}

function load(url, context) {
  return hooks.loadForImport(url, context, defaultLoad);
}

module.exports = { load, loadForHooks, loadForSyncHooks, checkAttributes };

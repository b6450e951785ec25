'use strict';

// --enable-source-maps and its kin: which loaded modules have source maps, and stacks told in terms of their sources.

const { SourceMap } = require('#module/source_map');
const errors = require('#internal/errors');

/** @typedef {{ url: string | null, data: object | null, lineLengths: number[], map?: SourceMap, read: boolean,
 *   owner: WeakRef<object> | undefined, base: string }} Entry */

/** File name or URL of the generated code -> what is known of its map. @type {Map<string, Entry>} */
const entries = new Map();

let support = { enabled: false, nodeModules: false, generatedCode: false };
/** Coverage wants the maps without anybody's stack changing. */
let collecting = false;

const isActive = () => support.enabled || collecting;

function getSupport() {
  return Object.freeze({ __proto__: null, ...support });
}

function setSupport(enabled, { nodeModules, generatedCode }) {
  support = { enabled, nodeModules, generatedCode };
  errors.setSourceMapper(enabled ? prepareWithMaps : undefined);
}

/** What the command line and the environment ask for. */
function start() {
  const { getOptionValue, all } = require('#runtime/options');
  const transforms = getOptionValue('--experimental-transform-types') && !all().execArgv.includes('--no-enable-source-maps');
  if (getOptionValue('--enable-source-maps') || transforms) {
    setSupport(true, { nodeModules: true, generatedCode: true });
  }
  if (process.env.NODE_V8_COVERAGE) collecting = true;
}

function urlOf(filename) {
  return filename.startsWith('/') ? require('url').pathToFileURL(filename).href : filename;
}

/**
 * Notes a module that was compiled.
 * @param {string} filename a path or URL
 * @param {string} content
 * @param {string | undefined} mapUrl what its magic comment names
 * @param {object} [owner] with which the knowledge may go
 */
function note(filename, content, mapUrl, owner = undefined) {
  if (typeof mapUrl !== 'string' || mapUrl === '') return;
  if (!support.nodeModules && support.enabled && !collecting && /[\\/]node_modules[\\/]/.test(filename)) return;
  const lineLengths = content.split(/\n|\u2028|\u2029/).map((line) => line.length);
  entries.set(filename, {
    url: mapUrl, data: null, lineLengths, read: false, base: urlOf(filename),
    owner: owner === undefined ? undefined : new WeakRef(owner),
  });
}

/** The map's JSON: in the URL itself, or in a file beside the code. Null if it cannot be had. */
function readPayload(entry) {
  try {
    const url = new URL(entry.url, entry.base);
    if (url.protocol === 'data:') {
      const [, type, base64, body] = /^data:([^,]*?)(;base64)?,(.*)$/s.exec(url.href) ?? [];
      if (type === undefined || !type.startsWith('application/json')) return [null, null];
      const text = base64 ? Buffer.from(body, 'base64').toString() : decodeURIComponent(body);
      return [JSON.parse(text), url.href.replace(/^data:.*/s, entry.base)];
    }
    if (url.protocol !== 'file:') return [null, undefined];
    const { fileURLToPath } = require('url');
    return [JSON.parse(require('fs').readFileSync(fileURLToPath(url), 'utf8')), url.href];
  } catch {
    return [null, undefined];
  }
}

/** Sources relative to the map as full URLs. */
function absolute(payload, base) {
  const root = payload.sourceRoot ? `${payload.sourceRoot.replace(/\/?$/, '/')}` : '';
  const resolve = (source) => {
    if (source === null) return null;
    const full = URL.canParse(source) ? source : `${root}${source}`;
    return URL.parse(full, base)?.href ?? full;
  };
  const { sourceRoot, ...rest } = payload;
  return { ...rest, sources: (payload.sources ?? []).map(resolve) };
}

function read(entry) {
  if (entry.read) return;
  entry.read = true;
  const [payload, base] = readPayload(entry);
  if (payload === null || typeof payload !== 'object') return;
  entry.data = payload.sections ? payload : absolute(payload, base);
  entry.url = entry.url.startsWith('data:') ? null : entry.url;
  try {
    entry.map = new SourceMap(entry.data, { lineLengths: entry.lineLengths });
  } catch {
    entry.data = null;
  }
}

/** @returns {Entry | undefined} */
function entryOf(name) {
  if (typeof name !== 'string' || name === '') return undefined;
  let key = name;
  let entry = entries.get(key);
  if (entry === undefined && name.startsWith('file:')) {
    key = require('url').fileURLToPath(name);
    entry = entries.get(key);
  } else if (entry === undefined && name.startsWith('/')) {
    key = urlOf(name);
    entry = entries.get(key);
  }
  if (entry === undefined) return undefined;
  if (entry.owner !== undefined && entry.owner.deref() === undefined) {
    entries.delete(key);
    return undefined;
  }
  read(entry);
  return entry;
}

function findSourceMap(path) {
  return entryOf(path)?.map;
}

// --- stacks ---

function displayed(source) {
  return source.startsWith('file:') ? require('url').fileURLToPath(source) : source;
}

/** The name that the sources give to the function of frame `index`. */
function originalName(map, trace, index) {
  const site = trace[index];
  const line = site.getEnclosingLineNumber?.();
  const column = site.getEnclosingColumnNumber?.();
  if (line > 0) {
    const { name } = map.findEntry(line - 1, column - 1);
    if (name) return name;
  }
  const next = trace[index + 1];
  if (next === undefined || next.getFileName() !== site.getFileName()) return undefined;
  return map.findEntry(next.getLineNumber() - 1, next.getColumnNumber() - 1).name;
}

function originOf(site) {
  const map = findSourceMap(site.getFileName() ?? site.getScriptNameOrSourceURL?.());
  if (map === undefined) return undefined;
  const { originalSource, originalLine, originalColumn } = map.findEntry(site.getLineNumber() - 1, site.getColumnNumber() - 1);
  if (typeof originalSource !== 'string' || originalLine === undefined) return undefined;
  return { map, source: displayed(originalSource), line: originalLine + 1, column: originalColumn + 1 };
}

function frameText(trace, index) {
  const site = trace[index];
  const text = String(site);
  const origin = originOf(site);
  if (origin === undefined) return text;
  const where = `${origin.source}:${origin.line}:${origin.column}`;
  const [, head] = /^(.*) \([^()]*(?:\([^()]*\)[^()]*)*\)$/.exec(text) ?? [];
  if (head === undefined) return text.startsWith('async ') ? `async ${where}` : where;
  const own = site.getFunctionName();
  const name = originalName(origin.map, trace, index);
  const shown = name && own && head.endsWith(own) ? head.slice(0, head.length - own.length) + name : head;
  return `${shown} (${where})`;
}

/** For Error.prepareStackTrace of the engine. */
function prepareWithMaps(error, trace, byDefault) {
  if (trace.length === 0 || entries.size === 0) return byDefault(error, trace);
  const head = byDefault(error, []);
  try {
    return `${head}\n    at ${trace.map((site, index) => frameText(trace, index)).join('\n    at ')}`;
  } catch {
    return byDefault(error, trace);
  }
}

/** A line of an original source; undefined if nobody has it. */
function sourceLine(map, source, line) {
  const { sources, sourcesContent } = map.payload;
  const index = sources?.findIndex((name) => displayed(String(name)) === source) ?? -1;
  let content = sourcesContent?.[index];
  if (typeof content !== 'string') {
    try {
      content = require('fs').readFileSync(source, 'utf8');
    } catch {
      return undefined;
    }
  }
  return content.split(/\r?\n/)[line - 1];
}

/** "file:line\nsource\n   ^" of generated code -> the same of its source; unchanged where there is no map. */
function remapArrow(arrow) {
  if (!support.enabled || typeof arrow !== 'string') return arrow;
  const [first, , caret = ''] = arrow.split('\n');
  const [, file, line] = /^(.*):(\d+)$/.exec(first) ?? [];
  const map = file === undefined ? undefined : findSourceMap(file);
  if (map === undefined) return arrow;
  const { originalSource, originalLine, originalColumn } = map.findEntry(Number(line) - 1, Math.max(caret.indexOf('^'), 0));
  if (typeof originalSource !== 'string' || originalLine === undefined) return arrow;
  const source = displayed(originalSource);
  const text = sourceLine(map, source, originalLine + 1);
  if (text === undefined) return arrow;
  const indent = text.slice(0, originalColumn).replace(/[^\t]/g, ' ');
  return `${source}:${originalLine + 1}\n${text}\n${indent}^\n`;
}

/** What coverage keeps: URL -> { url, data, lineLengths }. */
function cacheForCoverage() {
  const cache = {};
  for (const [name, entry] of entries) {
    read(entry);
    cache[urlOf(name)] = { lineLengths: entry.lineLengths, data: entry.data, url: entry.url };
  }
  return cache;
}

module.exports = {
  isActive, start, getSupport, setSupport, note, findSourceMap, remapArrow, cacheForCoverage,
  isEnabled: () => support.enabled,
};

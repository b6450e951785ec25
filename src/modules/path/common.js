'use strict';

// What the two flavours of `node:path` share: collapsing `.` and `..`, and formatting parsed paths.

const { validateObject } = require('#internal/validators');

const kSlash = 47;
const kBackslash = 92;
const kDot = 46;

/** @param {number} code */
const isPosixSeparator = (code) => code === kSlash;
/** @param {number} code */
const isWin32Separator = (code) => code === kSlash || code === kBackslash;

/** Whether nothing in `path` has to be collapsed; names that begin with a dot take a closer look. */
function isCollapsed(path, separator, isSeparator) {
  let starts = true;
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i);
    if (isSeparator(code)) {
      if (starts || code !== separator) return false;
      starts = true;
    } else {
      if (starts && code === kDot) return false;
      starts = false;
    }
  }
  return !starts;
}

/**
 * Resolves `.` and `..` in a path that carries no root.
 * @param {string} path
 * @param {boolean} aboveStart whether a leading `..` is kept
 * @param {string} separator
 * @param {(code: number) => boolean} isSeparator
 * @returns {string} segments joined by `separator`, without one at either end
 */
function collapse(path, aboveStart, separator, isSeparator) {
  const code = separator.charCodeAt(0);
  const bare = path.charCodeAt(0) === code ? path.slice(1) : path;
  if (isCollapsed(bare, code, isSeparator)) return bare;
  let out = '';
  let depth = 0;
  const end = path.length;
  for (let start = 0; start <= end;) {
    let stop = start;
    while (stop < end && !isSeparator(path.charCodeAt(stop))) stop++;
    const size = stop - start;
    const dot = size > 0 && path.charCodeAt(start) === kDot;
    if (size === 2 && dot && path.charCodeAt(start + 1) === kDot) {
      if (depth > 0) {
        const cut = out.lastIndexOf(separator);
        out = cut < 0 ? '' : out.slice(0, cut);
        depth--;
      } else if (aboveStart) {
        out = out === '' ? '..' : `${out}${separator}..`;
      }
    } else if (size > 0 && !(dot && size === 1)) {
      const segment = path.slice(start, stop);
      out = out === '' ? segment : out + separator + segment;
      depth++;
    }
    start = stop + 1;
  }
  return out;
}

/**
 * Where the last segment of `path` starts and ends, trailing separators dropped.
 * @returns {[number, number]} both `from` when there is no segment
 */
function lastSegment(path, from, isSeparator) {
  let end = path.length;
  while (end > from && isSeparator(path.charCodeAt(end - 1))) end--;
  let start = end;
  while (start > from && !isSeparator(path.charCodeAt(start - 1))) start--;
  return [start, end];
}

/** Index of the dot that starts the extension of the segment [start, end), or -1. */
function extensionDot(path, start, end) {
  let dot = end - 1;
  while (dot >= start && path.charCodeAt(dot) !== kDot) dot--;
  if (dot <= start) return -1;
  // `..` has no extension, but `...` and `a..` have.
  if (end - start === 2 && path.charCodeAt(start) === kDot) return -1;
  return dot;
}

/** `basename` of the part of `path` that starts at `from`. */
function baseName(path, from, suffix, isSeparator) {
  if (suffix !== undefined && suffix.length > 0 && suffix === path) return '';
  const [start, end] = lastSegment(path, from, isSeparator);
  const base = path.slice(start, end);
  if (suffix !== undefined && suffix.length > 0 && suffix.length < base.length && base.endsWith(suffix)) {
    return base.slice(0, base.length - suffix.length);
  }
  return base;
}

/** `extname` of the part of `path` that starts at `from`. */
function extName(path, from, isSeparator) {
  const [start, end] = lastSegment(path, from, isSeparator);
  const dot = extensionDot(path, start, end);
  return dot < 0 ? '' : path.slice(dot, end);
}

/** Fills `base`, `ext` and `name` of a parsed path from its last segment. */
function fillBase(result, path, start, end) {
  if (start === end) return;
  result.base = path.slice(start, end);
  const dot = extensionDot(path, start, end);
  if (dot < 0) {
    result.name = result.base;
  } else {
    result.name = path.slice(start, dot);
    result.ext = path.slice(dot, end);
  }
}

/** @param {string} separator */
function makeFormat(separator) {
  return function format(pathObject) {
    validateObject(pathObject, 'pathObject');
    const dir = pathObject.dir || pathObject.root;
    const { ext } = pathObject;
    const base = pathObject.base || `${pathObject.name || ''}${ext ? (ext[0] === '.' ? ext : `.${ext}`) : ''}`;
    if (!dir) return base;
    return dir === pathObject.root ? dir + base : dir + separator + base;
  };
}

let minimatch;
function globMatches(path, pattern, windows) {
  minimatch ??= require('~minimatch');
  return minimatch.minimatch(path, pattern, {
    nocase: windows,
    windowsPathsNoEscape: true,
    nonegate: true,
    nocomment: true,
    optimizationLevel: 2,
    platform: windows ? 'win32' : 'linux',
    nocaseMagicOnly: true,
  });
}

module.exports = {
  kBackslash,
  kDot,
  kSlash,
  baseName,
  collapse,
  extName,
  fillBase,
  globMatches,
  isPosixSeparator,
  isWin32Separator,
  lastSegment,
  makeFormat,
};

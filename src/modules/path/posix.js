'use strict';

// `node:path/posix`, also `path.posix`, also `node:path` itself here.

const { validateString } = require('#internal/validators');
const {
  baseName, collapse, extName, fillBase, globMatches, isPosixSeparator, kSlash, lastSegment, makeFormat,
} = require('#path/common');

/** Absolute and collapsed, which is what `relative` compares. */
function resolve(...paths) {
  let resolved = '';
  let absolute = false;
  for (let i = paths.length - 1; i >= 0 && !absolute; i--) {
    const path = paths[i];
    validateString(path, `paths[${i}]`);
    if (path.length === 0) continue;
    resolved = resolved === '' ? path : `${path}/${resolved}`;
    absolute = path.charCodeAt(0) === kSlash;
  }
  if (!absolute) {
    const cwd = process.cwd();
    resolved = resolved === '' ? cwd : `${cwd}/${resolved}`;
    absolute = cwd.charCodeAt(0) === kSlash;
  }
  const out = collapse(resolved, !absolute, '/', isPosixSeparator);
  if (absolute) return `/${out}`;
  return out === '' ? '.' : out;
}

function normalize(path) {
  validateString(path, 'path');
  if (path.length === 0) return '.';
  const absolute = path.charCodeAt(0) === kSlash;
  const trailing = path.charCodeAt(path.length - 1) === kSlash;
  const out = collapse(path, !absolute, '/', isPosixSeparator);
  if (out === '') {
    if (absolute) return '/';
    return trailing ? './' : '.';
  }
  return `${absolute ? '/' : ''}${out}${trailing ? '/' : ''}`;
}

function isAbsolute(path) {
  validateString(path, 'path');
  return path.length > 0 && path.charCodeAt(0) === kSlash;
}

function join(...args) {
  let joined = '';
  for (const arg of args) {
    validateString(arg, 'path');
    if (arg.length > 0) joined = joined === '' ? arg : `${joined}/${arg}`;
  }
  return joined === '' ? '.' : normalize(joined);
}

function relative(from, to) {
  validateString(from, 'from');
  validateString(to, 'to');
  if (from === to) return '';
  from = resolve(from);
  to = resolve(to);
  if (from === to) return '';
  // The last slash up to which both agree; the end of the shorter counts as one.
  let slash = -1;
  let i = 0;
  for (; i < from.length && i < to.length && from.charCodeAt(i) === to.charCodeAt(i); i++) {
    if (from.charCodeAt(i) === kSlash) slash = i;
  }
  if ((i === from.length && to.charCodeAt(i) === kSlash) || (i === to.length && from.charCodeAt(i) === kSlash)) slash = i;
  let out = slash + 1 < from.length ? '..' : '';
  for (i = slash + 1; i < from.length; i++) if (from.charCodeAt(i) === kSlash) out += '/..';
  const rest = to.slice(slash + 1);
  if (out === '' || rest === '') return out + rest;
  return `${out}/${rest}`;
}

function toNamespacedPath(path) {
  return path;
}

function dirname(path) {
  validateString(path, 'path');
  if (path.length === 0) return '.';
  const first = path.charCodeAt(0) === kSlash ? 1 : 0;
  let [end] = lastSegment(path, first, isPosixSeparator);
  if (end === first) return first ? '/' : '.';
  // A lone second slash before the last segment is kept: `//a` is in `//`.
  if (first && end === 2 && path.charCodeAt(1) === kSlash) return '//';
  end--;
  return end === 0 ? '/' : path.slice(0, end);
}

function basename(path, suffix) {
  if (suffix !== undefined) validateString(suffix, 'suffix');
  validateString(path, 'path');
  return baseName(path, 0, suffix, isPosixSeparator);
}

function extname(path) {
  validateString(path, 'path');
  return extName(path, 0, isPosixSeparator);
}

function parse(path) {
  validateString(path, 'path');
  const result = { root: '', dir: '', base: '', ext: '', name: '' };
  if (path.length === 0) return result;
  const first = path.charCodeAt(0) === kSlash ? 1 : 0;
  if (first) result.root = '/';
  const [start, end] = lastSegment(path, first, isPosixSeparator);
  fillBase(result, path, start, end);
  if (start > first) result.dir = path.slice(0, start - 1);
  else if (first) result.dir = '/';
  return result;
}

function matchesGlob(path, pattern) {
  validateString(path, 'path');
  validateString(pattern, 'pattern');
  return globMatches(path, pattern, false);
}

const posix = {
  resolve,
  normalize,
  isAbsolute,
  join,
  relative,
  toNamespacedPath,
  dirname,
  basename,
  extname,
  format: makeFormat('/'),
  parse,
  matchesGlob,
  sep: '/',
  delimiter: ':',
  win32: null,
  posix: null,
};
posix.posix = posix;
posix._makeLong = toNamespacedPath;

module.exports = posix;
posix.win32 = require('#path/win32');

'use strict';

// `node:path/win32`: Windows paths, on any platform.

const { validateString } = require('#internal/validators');
const {
  baseName, collapse, extName, fillBase, globMatches, isWin32Separator, kBackslash, lastSegment, makeFormat,
} = require('#path/common');

const kColon = 58;
const kReservedName = /^(?:CON|PRN|AUX|NUL|(?:COM|LPT)[1-9\xb9\xb2\xb3])$/i;

function isLetter(code) {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function hasDrive(path) {
  return path.length >= 2 && path.charCodeAt(1) === kColon && isLetter(path.charCodeAt(0));
}

function skip(path, from, separators) {
  let i = from;
  while (i < path.length && isWin32Separator(path.charCodeAt(i)) === separators) i++;
  return i;
}

/**
 * `\\server\share`: where its two names are, or null.
 * @returns {{ server: string, share: number, end: number } | null}
 */
function uncRoot(path) {
  if (path.length < 3 || !isWin32Separator(path.charCodeAt(0)) || !isWin32Separator(path.charCodeAt(1))) return null;
  const serverEnd = skip(path, 2, false);
  if (serverEnd === 2 || serverEnd === path.length) return null;
  const share = skip(path, serverEnd, true);
  const end = skip(path, share, false);
  return share === end ? null : { server: path.slice(2, serverEnd), share, end };
}

/**
 * The part of a path that `..` cannot leave.
 * @returns {{ device: string, end: number, rooted: boolean, bare: boolean }} `bare`: a UNC root and nothing else
 */
function splitRoot(path) {
  const size = path.length;
  if (size > 0 && isWin32Separator(path.charCodeAt(0))) {
    const unc = uncRoot(path);
    if (unc === null) return { device: '', end: 1, rooted: true, bare: false };
    const { server, share, end } = unc;
    if (server === '.' || server === '?') return { device: `\\\\${server}`, end: 4, rooted: true, bare: false };
    return { device: `\\\\${server}\\${path.slice(share, end)}`, end, rooted: true, bare: end === size };
  }
  if (hasDrive(path)) {
    const rooted = size > 2 && isWin32Separator(path.charCodeAt(2));
    return { device: path.slice(0, 2), end: rooted ? 3 : 2, rooted, bare: false };
  }
  return { device: '', end: 0, rooted: false, bare: false };
}

/** End of the root as `parse` and `dirname` show it, the separator behind it included; 0 when relative. */
function plainRootEnd(path) {
  if (path.length === 0) return 0;
  if (isWin32Separator(path.charCodeAt(0))) {
    const unc = uncRoot(path);
    if (unc === null) return 1;
    return unc.end === path.length ? unc.end : unc.end + 1;
  }
  if (!hasDrive(path)) return 0;
  return path.length > 2 && isWin32Separator(path.charCodeAt(2)) ? 3 : 2;
}

/** The directory that a drive-relative (or plain relative) path starts from. */
function currentDirectory(device) {
  if (device === '') return process.cwd();
  const path = process.env[`=${device}`] || process.cwd();
  const foreign = path.slice(0, 2).toLowerCase() !== device.toLowerCase();
  return foreign && path.charCodeAt(2) === kBackslash ? `${device}\\` : path;
}

function resolve(...args) {
  let device = '';
  let tail = '';
  let rooted = false;
  for (let i = args.length - 1; i >= -1; i--) {
    let path;
    if (i >= 0) {
      path = args[i];
      validateString(path, `paths[${i}]`);
      if (path.length === 0) continue;
    } else {
      path = currentDirectory(device);
    }
    const root = splitRoot(path);
    if (root.device !== '') {
      if (device === '') device = root.device;
      else if (root.device.toLowerCase() !== device.toLowerCase()) continue;
    }
    if (rooted) {
      if (device !== '') break;
    } else {
      tail = `${path.slice(root.end)}\\${tail}`;
      rooted = root.rooted;
      if (rooted && device !== '') break;
    }
  }
  tail = collapse(tail, !rooted, '\\', isWin32Separator);
  return rooted ? `${device}\\${tail}` : `${device}${tail}` || '.';
}

/** A relative result must not turn into a drive or a device: `x/../C:a` stays inside. */
function guardRelative(path, tail) {
  if (!path.includes(':')) return tail;
  if (hasDrive(tail)) return `.\\${tail}`;
  for (let at = path.indexOf(':'); at !== -1; at = path.indexOf(':', at + 1)) {
    if (at === path.length - 1 || isWin32Separator(path.charCodeAt(at + 1))) return `.\\${tail}`;
  }
  return kReservedName.test(path.slice(0, path.indexOf(':'))) ? `.\\${tail}` : tail;
}

function normalize(path) {
  validateString(path, 'path');
  if (path.length === 0) return '.';
  if (path.length === 1) return isWin32Separator(path.charCodeAt(0)) ? '\\' : path;
  const root = splitRoot(path);
  if (root.bare) return `${root.device}\\`;
  let { device, end } = root;
  if (end === 4 && root.rooted && path.length > 4) {
    const colon = path.indexOf(':');
    const name = path.slice(4, colon + 1);
    if (kReservedName.test(name.slice(0, -1))) {
      device = `\\\\?\\${name}`;
      end = 4 + name.length;
    }
  }
  let tail = end < path.length ? collapse(path.slice(end), !root.rooted, '\\', isWin32Separator) : '';
  if (tail === '' && !root.rooted) tail = '.';
  if (tail !== '' && isWin32Separator(path.charCodeAt(path.length - 1))) tail += '\\';
  if (!root.rooted && device === '') return guardRelative(path, tail);
  return root.rooted ? `${device}\\${tail}` : `${device}${tail}`;
}

function isAbsolute(path) {
  validateString(path, 'path');
  if (path.length === 0) return false;
  return isWin32Separator(path.charCodeAt(0)) ||
    (path.length > 2 && hasDrive(path) && isWin32Separator(path.charCodeAt(2)));
}

function join(...args) {
  let joined = '';
  let first = '';
  for (const arg of args) {
    validateString(arg, 'path');
    if (arg.length === 0) continue;
    if (joined === '') joined = first = arg;
    else joined += `\\${arg}`;
  }
  if (joined === '') return '.';
  // Only a first part that is itself `\\server...` makes a UNC path; separators that meet do not.
  const start = skip(joined, 0, true);
  const unc = first.length > 2 && skip(first, 0, true) === 2;
  if (start >= 2 && !unc) joined = `\\${joined.slice(start)}`;
  for (const part of joined.split('\\')) {
    const colon = part.indexOf(':');
    if (colon > 0 && kReservedName.test(part.slice(0, colon))) return joined.replace(/\//g, '\\');
  }
  return normalize(joined);
}

/** Segments of a resolved path, its outer separators dropped. */
function segments(path) {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === kBackslash) start++;
  while (end > start && path.charCodeAt(end - 1) === kBackslash) end--;
  return start === end ? [] : path.slice(start, end).split('\\');
}

function relative(from, to) {
  validateString(from, 'from');
  validateString(to, 'to');
  if (from === to) return '';
  const fromResolved = resolve(from);
  const toResolved = resolve(to);
  if (fromResolved.toLowerCase() === toResolved.toLowerCase()) return '';
  const a = segments(fromResolved);
  const b = segments(toResolved);
  let common = 0;
  while (common < a.length && common < b.length && a[common].toLowerCase() === b[common].toLowerCase()) common++;
  if (common === 0 && a.length > 0 && b.length > 0) return toResolved;
  const parts = new Array(a.length - common).fill('..');
  return parts.concat(b.slice(common)).join('\\');
}

function toNamespacedPath(path) {
  if (typeof path !== 'string' || path.length === 0) return path;
  const resolved = resolve(path);
  if (resolved.length <= 2) return path;
  if (resolved.startsWith('\\\\')) {
    return resolved[2] === '?' || resolved[2] === '.' ? resolved : `\\\\?\\UNC\\${resolved.slice(2)}`;
  }
  return hasDrive(resolved) && resolved[2] === '\\' ? `\\\\?\\${resolved}` : resolved;
}

function dirname(path) {
  validateString(path, 'path');
  if (path.length === 0) return '.';
  const rootEnd = plainRootEnd(path);
  const [start, end] = lastSegment(path, rootEnd, isWin32Separator);
  if (start === end || start === rootEnd) return rootEnd === 0 ? '.' : path.slice(0, rootEnd);
  return path.slice(0, start - 1);
}

function basename(path, suffix) {
  if (suffix !== undefined) validateString(suffix, 'suffix');
  validateString(path, 'path');
  return baseName(path, hasDrive(path) ? 2 : 0, suffix, isWin32Separator);
}

function extname(path) {
  validateString(path, 'path');
  return extName(path, hasDrive(path) ? 2 : 0, isWin32Separator);
}

function parse(path) {
  validateString(path, 'path');
  const result = { root: '', dir: '', base: '', ext: '', name: '' };
  if (path.length === 0) return result;
  const rootEnd = plainRootEnd(path);
  result.root = path.slice(0, rootEnd);
  const [start, end] = lastSegment(path, rootEnd, isWin32Separator);
  fillBase(result, path, start, end);
  result.dir = start > rootEnd ? path.slice(0, start - 1) : result.root;
  return result;
}

function matchesGlob(path, pattern) {
  validateString(path, 'path');
  validateString(pattern, 'pattern');
  return globMatches(path, pattern, true);
}

const win32 = {
  resolve,
  normalize,
  isAbsolute,
  join,
  relative,
  toNamespacedPath,
  dirname,
  basename,
  extname,
  format: makeFormat('\\'),
  parse,
  matchesGlob,
  sep: '\\',
  delimiter: ';',
  win32: null,
  posix: null,
};
win32.win32 = win32;
win32._makeLong = toNamespacedPath;

module.exports = win32;
win32.posix = require('#path/posix');

'use strict';

// File paths <-> file: URLs, and the options of http.request out of a URL.

const {
  codes: {
    ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_FILE_URL_HOST, ERR_INVALID_FILE_URL_PATH,
    ERR_INVALID_URL_SCHEME,
  },
} = require('#internal/errors');
const { validateObject, validateString } = require('#internal/validators');
const { URL } = require('#web/url');
const path = require('path');

/** Whether a value is a URL, of this realm or of a polyfill; the legacy Url has `auth` and `path`. */
function isURL(value) {
  return Boolean(value?.href && value.protocol && value.auth === undefined && value.path === undefined);
}

const onWindows = process.platform === 'win32';
const driveLetter = /^[a-z]$/i;

function checkFileURL(input) {
  if (typeof input === 'string') input = new URL(input);
  else if (!isURL(input)) throw new ERR_INVALID_ARG_TYPE('path', ['string', 'URL'], input);
  if (input.protocol !== 'file:') throw new ERR_INVALID_URL_SCHEME('file');
  return input;
}

/** @param {(pathname: string) => any} decode percent-decoding, to a string or bytes */
function fromWindowsURL(url, decode) {
  if (/%2f|%5c/i.test(url.pathname)) {
    throw new ERR_INVALID_FILE_URL_PATH('must not include encoded \\ or / characters', url);
  }
  const pathname = url.pathname.replaceAll('/', '\\');
  if (url.hostname !== '') {
    const { domainToUnicode } = binding('url');
    return decode(`\\\\${domainToUnicode(url.hostname)}${pathname}`);
  }
  if (!driveLetter.test(pathname[1]) || pathname[2] !== ':') {
    throw new ERR_INVALID_FILE_URL_PATH('must be absolute', url);
  }
  return decode(pathname.slice(1));
}

function fromPosixURL(url, decode) {
  if (url.hostname !== '') throw new ERR_INVALID_FILE_URL_HOST(process.platform);
  if (/%2f/i.test(url.pathname)) throw new ERR_INVALID_FILE_URL_PATH('must not include encoded / characters', url);
  return decode(url.pathname);
}

function decodeToString(pathname) {
  return pathname.includes('%') ? decodeURIComponent(pathname) : pathname;
}

/** Percent-decodes to bytes, which need not be UTF-8. */
function decodeToBuffer(pathname) {
  const { Buffer } = require('buffer');
  const bytes = Buffer.from(pathname);
  let size = 0;
  for (let i = 0; i < bytes.length; i++) {
    const digits = bytes[i] === 0x25 ? bytes.latin1Slice(i + 1, Math.min(i + 3, bytes.length)) : '';
    if (/^[0-9a-f]{2}$/i.test(digits)) {
      bytes[size++] = parseInt(digits, 16);
      i += 2;
    } else {
      bytes[size++] = bytes[i];
    }
  }
  return bytes.subarray(0, size);
}

function fileURLToPath(input, options = undefined) {
  const url = checkFileURL(input);
  return (options?.windows ?? onWindows) ? fromWindowsURL(url, decodeToString) : fromPosixURL(url, decodeToString);
}

function fileURLToPathBuffer(input, options = undefined) {
  const url = checkFileURL(input);
  return (options?.windows ?? onWindows) ? fromWindowsURL(url, decodeToBuffer) : fromPosixURL(url, decodeToBuffer);
}

/** What the parser leaves alone in a path but a file name must not have in a URL. */
const needsEscape = /[%\\\n\r\t?#[\]^|~]/g;
const needsEscapeOnWindows = /[%\n\r\t?#[\]^|~]/g;

function escapePath(filepath, pattern) {
  return filepath.replace(pattern, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** \\server\share\path, also written \\?\UNC\server\share\path. */
function fromUNC(filepath) {
  const isExtended = filepath.startsWith('\\\\?\\UNC\\');
  const start = isExtended ? 8 : 2;
  const end = filepath.indexOf('\\', start);
  if (end === -1) throw new ERR_INVALID_ARG_VALUE('path', filepath, 'Missing UNC resource path');
  if (end === 2) throw new ERR_INVALID_ARG_VALUE('path', filepath, 'Empty UNC servername');
  const url = new URL('file://');
  url.hostname = filepath.slice(start, end);
  url.pathname = escapePath(filepath.slice(end).replaceAll('\\', '/'), needsEscapeOnWindows);
  return url;
}

function pathToFileURL(filepath, options = undefined) {
  validateString(filepath, 'path');
  const windows = options?.windows ?? onWindows;
  const isUNC = windows && filepath.startsWith('\\\\');
  let resolved = isUNC ? filepath : (windows ? path.win32 : path.posix).resolve(filepath);
  if (isUNC && !filepath.startsWith('\\\\?\\UNC\\') && filepath.startsWith('\\\\?\\')) {
    resolved = filepath.slice(4);
  } else if (isUNC) {
    return fromUNC(resolved);
  }
  const last = filepath.at(-1);
  const trailing = last === '/' || (windows && last === '\\');
  if (trailing && !resolved.endsWith(windows ? '\\' : '/')) resolved += '/';
  if (windows) resolved = `/${resolved.replaceAll('\\', '/')}`;
  const escaped = escapePath(resolved, windows ? needsEscapeOnWindows : needsEscape);
  return new URL(`file://${escaped}`);
}

function urlToHttpOptions(url) {
  validateObject(url, 'url', { allowArray: true, allowFunction: true });
  const { hostname, pathname, port, username, password, search } = url;
  const options = {
    __proto__: null,
    ...url,
    protocol: url.protocol,
    hostname: hostname && hostname[0] === '[' ? hostname.slice(1, -1) : hostname,
    hash: url.hash,
    search,
    pathname,
    path: `${pathname || ''}${search || ''}`,
    href: url.href,
  };
  if (port !== '') options.port = Number(port);
  if (username || password) options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return options;
}

/** A path out of a string, Buffer or file: URL, as functions of node:fs take it. */
function toPathIfFileURL(value) {
  return isURL(value) ? fileURLToPath(value) : value;
}

module.exports = { fileURLToPath, fileURLToPathBuffer, isURL, pathToFileURL, toPathIfFileURL, urlToHttpOptions };

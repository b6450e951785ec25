'use strict';

// `fs.realpath` and `fs.realpathSync`: the kernel resolves; only when it cannot is the path walked, to name the part
// that failed, and with which call.

const { Buffer } = require('buffer');
const { encodeName } = require('#fs/dirent');
const { S_IFIFO, S_IFLNK, S_IFMT, S_IFSOCK } = require('#fs/constants');
const { getOptions, getValidatedPath, isURL, isUint8Array, makeCallback } = require('#fs/validate');
const native = binding('fs');

const kMaxLinks = 40;

/** Any value will do as a path here, if only its text names something. */
function pathText(path) {
  if (isURL(path) || isUint8Array(path) || typeof path === 'string') return getValidatedPath(path).toString();
  return getValidatedPath(`${path}`);
}

/**
 * Walks a path part by part. Throws the error of the first part that fails, or returns what the path is.
 * @param {string} path absolute
 */
function walk(path) {
  const { resolve } = require('path');
  let links = 0;
  let done = '';
  let rest = path.split('/').filter(Boolean);
  while (rest.length > 0) {
    const here = `${done}/${rest.shift()}`;
    const isLink = (native.lstat(here, false)[1] & S_IFMT) === S_IFLNK;
    if (!isLink) {
      done = here;
      continue;
    }
    if (++links > kMaxLinks) native.stat(path, false);
    const kind = native.stat(here, false)[1] & S_IFMT;
    const target = resolve(done === '' ? '/' : done, native.readlink(here, false));
    // Pipes and sockets have names in /proc that lead nowhere.
    if (kind === S_IFIFO || kind === S_IFSOCK) return target;
    rest = target.split('/').filter(Boolean).concat(rest);
    done = '';
  }
  return done === '' ? '/' : done;
}

function encode(text, options) {
  const { encoding } = options;
  if (!encoding || encoding === 'utf8') return text;
  return encodeName(Buffer.from(text), encoding);
}

function realpathSync(path, options) {
  options = getOptions(options);
  const text = require('path').resolve(pathText(path));
  const found = native.tryRealpath(text);
  return encode(found === undefined ? walk(text) : found, options);
}

function realpath(path, options, callback) {
  callback = makeCallback(typeof options === 'function' ? options : callback);
  options = getOptions(options);
  const text = require('path').resolve(pathText(path));
  native.realpath(text, false, (error, found) => {
    if (error) {
      try {
        found = walk(text);
      } catch (failure) {
        return callback(failure);
      }
    }
    callback(null, encode(found, options));
  });
}

module.exports = { realpath, realpathSync };

'use strict';

// `fs.glob`: walks what a pattern can match, part by part. `minimatch` parses the patterns. The walk is one script (see
// #fs/script) that yields native calls and, through `found`, matches.
//
// `**` goes into real directories only. It may end at a link to one, from where the rest of the pattern goes on, unless
// it begins the pattern.

const { codes: { ERR_INVALID_ARG_TYPE } } = require('#internal/errors');
const { validateFunction, validateObject, validateString, validateStringArray } = require('#internal/validators');
const { UV_DIRENT_DIR, UV_DIRENT_LINK } = require('#fs/constants');
const { Dirent } = require('#fs/dirent');
const { runAsync, runSync, toCallback } = require('#fs/script');
const path = require('path');

let minimatch;
const lazyMinimatch = () => minimatch ??= require('~minimatch');

const kMatchOptions = {
  nocase: false,
  windowsPathsNoEscape: true,
  nonegate: true,
  nocomment: true,
  optimizationLevel: 2,
  platform: 'linux',
  nocaseMagicOnly: true,
};

function typeOf(mode) {
  const kinds = { __proto__: null, 0o100000: 1, 0o040000: 2, 0o120000: 3, 0o010000: 4, 0o140000: 5, 0o020000: 6,
    0o060000: 7 };
  return kinds[mode & 0o170000] ?? 0;
}

class Glob {
  constructor(patterns, options) {
    if (Array.isArray(patterns)) validateStringArray(patterns, 'patterns');
    else validateString(patterns, 'patterns');
    if (options === undefined || options === null) options = {};
    validateObject(options, 'options');
    const { cwd, exclude, withFileTypes } = options;
    this.root = cwd === undefined || cwd === null ? '.' : cwd instanceof URL ? require('url').fileURLToPath(cwd) : cwd;
    this.cwd = path.resolve(this.root);
    this.withFileTypes = Boolean(withFileTypes);
    this.excluded = this.#makeExclude(exclude);
    const { Minimatch, GLOBSTAR } = lazyMinimatch();
    this.GLOBSTAR = GLOBSTAR;
    this.alternatives = [patterns].flat().flatMap((pattern) => new Minimatch(pattern, kMatchOptions).set);
    /** States already walked. */
    this.seen = new Set();
    /** @type {Map<string, number>} listings by directory */
    this.listings = new Map();
    this.matches = new Set();
    this.results = [];
  }

  #makeExclude(exclude) {
    if (exclude === undefined || exclude === null) return () => false;
    if (typeof exclude === 'function') {
      return (shown, type) => {
        if (this.withFileTypes) return Boolean(exclude(this.dirent(shown, type)));
        if (exclude(shown)) return true;
        const name = path.basename(shown);
        return type === UV_DIRENT_DIR && name !== shown && Boolean(exclude(name));
      };
    }
    if (!Array.isArray(exclude)) throw new ERR_INVALID_ARG_TYPE('options.exclude', ['function', 'string[]'], exclude);
    validateStringArray(exclude, 'options.exclude');
    const { Minimatch } = lazyMinimatch();
    const matchers = exclude.map((pattern) => new Minimatch(path.normalize(pattern), kMatchOptions));
    // `a/**` means `a` too where that is a directory.
    return (shown, type) => matchers.some((matcher) => matcher.match(shown) ||
      (type === UV_DIRENT_DIR && matcher.match(`${shown}/`)));
  }

  dirent(shown, type) {
    const parent = path.dirname(shown);
    return new Dirent(path.basename(shown), type, path.isAbsolute(parent) ? parent : path.join(this.root, parent));
  }

  full(shown) {
    return path.isAbsolute(shown) ? shown : path.join(this.cwd, shown);
  }

  /** Type of what is at a path, links not followed; -1: nothing. */
  * type(shown) {
    try {
      return typeOf((yield ['lstat', this.full(shown), false])[1]);
    } catch {
      return -1;
    }
  }

  * isDirectory(shown, type) {
    if (type === UV_DIRENT_DIR) return true;
    if (type !== UV_DIRENT_LINK) return false;
    try {
      return typeOf((yield ['stat', this.full(shown), false])[1]) === UV_DIRENT_DIR;
    } catch {
      return false;
    }
  }

  /** @returns {Generator<any, [string[], number[]]>} nothing where a directory cannot be read */
  * list(shown) {
    let listing = this.listings.get(shown);
    if (listing === undefined) {
      try {
        listing = yield ['readdir', this.full(shown), false, true];
      } catch {
        listing = [[], []];
      }
      this.listings.set(shown, listing);
    }
    return listing;
  }

  /** A path matches whole. */
  * found(shown, type) {
    if (this.matches.has(shown)) return;
    this.matches.add(shown);
    if (this.excluded(shown, type)) return;
    this.results.push(this.withFileTypes ? this.dirent(shown, type) : shown);
  }

  * run() {
    for (const parts of this.alternatives) {
      this.seen.clear();
      if (parts[0] === '') yield* this.walk('/', UV_DIRENT_DIR, parts, 1);
      else yield* this.walk('.', UV_DIRENT_DIR, parts, 0);
    }
    return this.results;
  }

  /** Matches parts[index...] in the directory `at`. */
  * walk(at, type, parts, index) {
    const key = `${index} ${at}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    if (index === parts.length) return yield* this.found(at, type);
    const part = parts[index];
    if (part === this.GLOBSTAR) return yield* this.globstar(at, type, parts, index);
    if (part === '') {
      // A trailing slash: directories only.
      if (yield* this.isDirectory(at, type)) yield* this.walk(at, type, parts, index + 1);
    } else if (typeof part === 'string') {
      const child = path.join(at, part);
      const childType = yield* this.type(child);
      if (childType !== -1) yield* this.enter(child, childType, parts, index + 1);
    } else {
      const [names, types] = yield* this.list(at);
      for (let i = 0; i < names.length; i++) {
        if (part.test(names[i])) yield* this.enter(path.join(at, names[i]), types[i], parts, index + 1);
      }
    }
  }

  /** Goes on at `child`, which matched the parts before `index`. */
  * enter(child, type, parts, index) {
    if (index === parts.length) return yield* this.found(child, type);
    if (!(yield* this.isDirectory(child, type)) || this.excluded(child, type)) return;
    yield* this.walk(child, type, parts, index);
  }

  * globstar(at, type, parts, index) {
    const last = index === parts.length - 1;
    yield* this.walk(at, type, parts, index + 1);
    const [names, types] = yield* this.list(at);
    for (let i = 0; i < names.length; i++) {
      if (names[i][0] === '.') continue;
      const child = path.join(at, names[i]);
      if (types[i] === UV_DIRENT_DIR) {
        if (!this.excluded(child, types[i])) yield* this.walk(child, types[i], parts, index);
      } else if (last) {
        yield* this.found(child, types[i]);
      } else if (types[i] === UV_DIRENT_LINK && index > 0) {
        yield* this.enter(child, types[i], parts, index + 1);
      }
    }
  }
}

function globSync(pattern, options) {
  return runSync(new Glob(pattern, options).run());
}

async function* glob(pattern, options) {
  yield* await runAsync(new Glob(pattern, options).run());
}

function globCallback(pattern, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  validateFunction(callback, 'cb');
  toCallback(runAsync(new Glob(pattern, options).run()), callback);
}

module.exports = { glob, globCallback, globSync };

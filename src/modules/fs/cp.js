'use strict';

// `fs.cp`: copies files and trees. One script (see #fs/script) serves all three forms.

const {
  codes: {
    ERR_FS_CP_DIR_TO_NON_DIR, ERR_FS_CP_EEXIST, ERR_FS_CP_EINVAL, ERR_FS_CP_FIFO_PIPE, ERR_FS_CP_NON_DIR_TO_DIR,
    ERR_FS_CP_SOCKET, ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY, ERR_FS_CP_UNKNOWN, ERR_FS_EISDIR,
    ERR_INCOMPATIBLE_OPTION_PAIR, ERR_INVALID_RETURN_VALUE,
  },
} = require('#internal/errors');
const { validateBoolean, validateFunction, validateObject } = require('#internal/validators');
const { dirname, isAbsolute, join, parse, resolve, sep } = require('path');
const { errno: { EEXIST, EINVAL, EISDIR, ENOTDIR } } = require('#os/constants');
const { runAsync, runSync, toCallback } = require('#fs/script');
const { makeStats } = require('#fs/stats');
const { getCopyMode, getValidatedPath } = require('#fs/validate');

const kDefaults = {
  dereference: false,
  errorOnExist: false,
  filter: undefined,
  force: true,
  preserveTimestamps: false,
  recursive: false,
  verbatimSymlinks: false,
};

function validateCpOptions(options) {
  if (options === undefined) return { ...kDefaults, mode: 0 };
  validateObject(options, 'options');
  options = { ...kDefaults, ...options };
  for (const name of ['dereference', 'errorOnExist', 'force', 'preserveTimestamps', 'recursive', 'verbatimSymlinks']) {
    validateBoolean(options[name], `options.${name}`);
  }
  options.mode = getCopyMode(options.mode);
  if (options.dereference === true && options.verbatimSymlinks === true) {
    throw new ERR_INCOMPATIBLE_OPTION_PAIR('dereference', 'verbatimSymlinks');
  }
  if (options.filter !== undefined) validateFunction(options.filter, 'options.filter');
  return options;
}

/** How each failure is worded: at the top of a blocking copy as a plain error with a code, else as a SystemError. */
class Failures {
  constructor(plain) {
    this.plain = plain;
  }

  make(Type, errno, code, path, message, plainMessage) {
    if (!this.plain) return new Type({ message, path, syscall: 'cp', errno, code });
    const error = new Error(plainMessage);
    error.code = new Type({ message, path, syscall: 'cp', errno, code }).code;
    return error;
  }

  same(dest) {
    return this.make(ERR_FS_CP_EINVAL, EINVAL, 'EINVAL', dest, 'src and dest cannot be the same',
      `src and dest cannot be the same ${dest}`);
  }

  subdirectory(src, dest, path = dest) {
    return this.make(ERR_FS_CP_EINVAL, EINVAL, 'EINVAL', path,
      `cannot copy ${src} to a subdirectory of self ${dest}`, `Cannot copy ${src}/ to a subdirectory of self ${dest}`);
  }

  directoryToFile(src, dest) {
    return this.make(ERR_FS_CP_DIR_TO_NON_DIR, EISDIR, 'EISDIR', dest,
      `cannot overwrite non-directory ${dest} with directory ${src}`,
      `Cannot overwrite non-directory ${dest} with directory ${src}`);
  }

  fileToDirectory(src, dest) {
    return this.make(ERR_FS_CP_NON_DIR_TO_DIR, ENOTDIR, 'ENOTDIR', dest,
      `cannot overwrite directory ${dest} with non-directory ${src}`,
      `Cannot overwrite directory ${dest} with non-directory ${src}`);
  }

  directory(src) {
    return this.make(ERR_FS_EISDIR, EISDIR, 'EISDIR', src, `${src} is a directory (not copied)`,
      `Recursive option not enabled, cannot copy a directory: ${src}/`);
  }

  special(stats, dest) {
    if (stats.isSocket()) {
      return this.make(ERR_FS_CP_SOCKET, EINVAL, 'EINVAL', dest, `cannot copy a socket file: ${dest}`,
        `Cannot copy a socket file: ${dest}`);
    }
    if (stats.isFIFO()) {
      return this.make(ERR_FS_CP_FIFO_PIPE, EINVAL, 'EINVAL', dest, `cannot copy a FIFO pipe: ${dest}`,
        `Cannot copy a FIFO pipe: ${dest}`);
    }
    return this.make(ERR_FS_CP_UNKNOWN, EINVAL, 'EINVAL', dest, `cannot copy an unknown file type: ${dest}`,
      `Cannot copy an unknown file type: ${dest}`);
  }
}

const areIdentical = (a, b) => b.ino && b.dev && b.ino === a.ino && b.dev === a.dev;

/** Whether `dest` lies in `src`, by name. */
function isSubdirectory(src, dest) {
  const a = resolve(src).split(sep).filter(Boolean);
  const b = resolve(dest).split(sep).filter(Boolean);
  return a.every((part, i) => b[i] === part);
}

function* statOrNull(path, method = 'stat') {
  try {
    return makeStats(yield [method, path, true]);
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  }
}

/** The copying of one tree. */
class Copy {
  constructor(options, blocking) {
    this.options = options;
    this.blocking = blocking;
    this.failures = new Failures(blocking);
    this.nested = new Failures(false);
  }

  /** Whether the user's filter lets a path through. */
  * passes(src, dest) {
    const { filter } = this.options;
    if (!filter) return true;
    const { blocking } = this;
    return yield [() => {
      const verdict = filter(src, dest);
      if (blocking && typeof verdict?.then === 'function') {
        throw new ERR_INVALID_RETURN_VALUE('boolean', 'filter', verdict);
      }
      return verdict;
    }];
  }

  /** Stats of both ends; throws where one cannot become the other. */
  * check(src, dest, failures) {
    const method = this.options.dereference ? 'stat' : 'lstat';
    const srcStat = makeStats(yield [method, src, true]);
    const destStat = yield* statOrNull(dest, method);
    const srcDir = srcStat.isDirectory();
    if (destStat !== null) {
      if (areIdentical(srcStat, destStat)) throw failures.same(dest);
      if (srcDir && !destStat.isDirectory()) throw failures.directoryToFile(src, dest);
      if (!srcDir && destStat.isDirectory()) throw failures.fileToDirectory(src, dest);
    }
    return [srcStat, destStat];
  }

  /** No directory above `dest` may be `src` itself under another name. */
  * checkParents(src, srcStat, dest) {
    const srcParent = resolve(dirname(src));
    for (let parent = resolve(dirname(dest)); parent !== srcParent && parent !== parse(parent).root;
      parent = dirname(parent)) {
      const stats = yield* statOrNull(parent);
      if (stats !== null && areIdentical(srcStat, stats)) throw this.failures.subdirectory(src, dest);
    }
  }

  * run(src, dest) {
    if (!(yield* this.passes(src, dest))) return;
    const [srcStat, destStat] = yield* this.check(src, dest, this.failures);
    if (srcStat.isDirectory() && isSubdirectory(src, dest)) throw this.failures.subdirectory(src, dest);
    yield* this.checkParents(src, srcStat, dest);
    if (srcStat.isDirectory() && !this.options.recursive) throw this.failures.directory(src);
    const parent = dirname(dest);
    if ((yield* statOrNull(parent)) === null) yield ['mkdirTree', parent, 0o777];
    yield* this.copy(src, dest, srcStat, destStat, this.failures);
  }

  * copy(src, dest, srcStat, destStat, failures) {
    if (srcStat.isDirectory()) return yield* this.directory(src, dest, srcStat, destStat);
    if (srcStat.isFile() || srcStat.isCharacterDevice() || srcStat.isBlockDevice()) {
      return yield* this.file(src, dest, srcStat, destStat);
    }
    if (srcStat.isSymbolicLink()) return yield* this.link(src, dest, destStat, failures);
    throw failures.special(srcStat, dest);
  }

  * file(src, dest, srcStat, destStat) {
    const { errorOnExist, force, mode, preserveTimestamps } = this.options;
    if (destStat !== null) {
      if (force) {
        yield ['unlink', dest];
      } else if (errorOnExist) {
        const message = `${dest} already exists`;
        throw new ERR_FS_CP_EEXIST({ message, path: dest, syscall: 'cp', errno: EEXIST, code: 'EEXIST' });
      } else {
        return;
      }
    }
    yield ['copyFile', src, dest, mode];
    const bits = Number(srcStat.mode);
    if (preserveTimestamps) {
      // A read-only file takes no new times from an ordinary user.
      if ((bits & 0o200) === 0) yield ['chmod', dest, (bits & 0o7777) | 0o200];
      const times = makeStats(yield ['stat', src, false]);
      yield ['utimes', dest, times.atimeMs / 1000, times.mtimeMs / 1000, true];
    }
    yield ['chmod', dest, bits & 0o7777];
  }

  * directory(src, dest, srcStat, destStat) {
    if (destStat === null) yield ['mkdir', dest, 0o777];
    const [names] = yield ['readdir', src, false, true];
    for (const name of names) {
      const from = join(src, name);
      const to = join(dest, name);
      if (!(yield* this.passes(from, to))) continue;
      const [fromStat, toStat] = yield* this.check(from, to, this.nested);
      yield* this.copy(from, to, fromStat, toStat, this.nested);
    }
    if (destStat === null) yield ['chmod', dest, Number(srcStat.mode) & 0o7777];
  }

  /** Where a link leads, made absolute unless links are to be copied as they stand. */
  * target(path) {
    const target = yield ['readlink', path, false];
    return this.options.verbatimSymlinks || isAbsolute(target) ? target : resolve(dirname(path), target);
  }

  * link(src, dest, destStat, failures) {
    const srcTarget = yield* this.target(src);
    if (destStat === null) return yield ['symlink', srcTarget, dest];
    let destTarget;
    try {
      destTarget = yield* this.target(dest);
    } catch (error) {
      if (error.code !== 'EINVAL' && error.code !== 'UNKNOWN') throw error;
      // A regular file stands there: the system says so.
      return yield ['symlink', srcTarget, dest];
    }
    if (this.options.verbatimSymlinks === false || isAbsolute(destTarget)) {
      const stats = yield* statOrNull(src);
      const isDirectory = stats !== null && stats.isDirectory();
      if (isDirectory && isSubdirectory(srcTarget, destTarget)) {
        throw failures.plain && srcTarget === destTarget ? failures.same(dest) :
          failures.subdirectory(srcTarget, destTarget, dest);
      }
      // Replacing the link would hide what it is made of.
      if (isDirectory && isSubdirectory(destTarget, srcTarget)) {
        throw new ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY({
          message: `cannot overwrite ${destTarget} with ${srcTarget}`,
          path: dest, syscall: 'cp', errno: EINVAL, code: 'EINVAL',
        });
      }
    }
    yield ['unlink', dest];
    yield ['symlink', srcTarget, dest];
  }
}

function cpSync(src, dest, options) {
  options = validateCpOptions(options);
  src = getValidatedPath(src, 'src').toString();
  dest = getValidatedPath(dest, 'dest').toString();
  runSync(new Copy(options, true).run(src, dest));
}

async function cpPromise(src, dest, options) {
  options = validateCpOptions(options);
  src = getValidatedPath(src, 'src').toString();
  dest = getValidatedPath(dest, 'dest').toString();
  await runAsync(new Copy(options, false).run(src, dest));
}

function cp(src, dest, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  validateFunction(callback, 'cb');
  options = validateCpOptions(options);
  src = getValidatedPath(src, 'src').toString();
  dest = getValidatedPath(dest, 'dest').toString();
  toCallback(runAsync(new Copy(options, false).run(src, dest)), (error) => callback(error));
}

module.exports = { cp, cpPromise, cpSync };

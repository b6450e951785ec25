'use strict';

// The "exports" and "imports" of packages, as Node's documentation specifies them (Modules: Packages, and the
// resolver algorithm of Modules: ECMAScript modules). Works on paths; both loaders use it.

const {
  codes: {
    ERR_INVALID_MODULE_SPECIFIER, ERR_INVALID_PACKAGE_CONFIG, ERR_INVALID_PACKAGE_TARGET, ERR_PACKAGE_IMPORT_NOT_DEFINED,
    ERR_PACKAGE_PATH_NOT_EXPORTED,
  },
} = require('#internal/errors');
const loader = require('#runtime/loader');
const { getOptionValue, remembered } = require('#runtime/options');
const path = require('path');

const invalidSegment = /(^|\\|\/)((\.|%2e)(\.|%2e)?|(n|%6e|%4e)(o|%6f|%4f)(d|%64|%44)(e|%65|%45)(_|%5f)(m|%6d|%4d)(o|%6f|%4f)(d|%64|%44)(u|%75|%55)(l|%6c|%4c)(e|%65|%45)(s|%73|%53))?(\\|\/|$)/i;
const deprecatedInvalidSegment = /(^|\\|\/)((\.|%2e)(\.|%2e)?|(n|%6e|%4e)(o|%6f|%4f)(d|%64|%44)(e|%65|%45)(_|%5f)(m|%6d|%4d)(o|%6f|%4f)(d|%64|%44)(u|%75|%55)(l|%6c|%4c)(e|%65|%45)(s|%73|%53))(\\|\/|$)/i;

function conditions(own) {
  const addons = getOptionValue('--no-addons') ? [] : ['node-addons'];
  return new Set(['node', own, 'module-sync', ...addons, ...getOptionValue('--conditions') ?? []]);
}

const importConditions = remembered(() => conditions('import'));
const requireConditions = remembered(() => conditions('require'));

function isConditionalSugar(exports, packageJson, base) {
  if (typeof exports === 'string' || Array.isArray(exports)) return true;
  if (typeof exports !== 'object' || exports === null) return false;
  let sugar;
  for (const key of Object.keys(exports)) {
    const dotless = key === '' || key[0] !== '.';
    sugar ??= dotless;
    if (sugar !== dotless) {
      throw new ERR_INVALID_PACKAGE_CONFIG(packageJson, base,
        '"exports" cannot contain some keys starting with \'.\' and some not. The exports object must either be an object of ' +
        'package subpath keys or an object of main entry condition name keys only.');
    }
  }
  return sugar ?? false;
}

function patternCompare(a, b) {
  const starA = a.indexOf('*');
  const starB = b.indexOf('*');
  const lengthA = starA === -1 ? a.length : starA + 1;
  const lengthB = starB === -1 ? b.length : starB + 1;
  if (lengthA !== lengthB) return lengthB - lengthA;
  if (starA === -1) return 1;
  if (starB === -1) return -1;
  return b.length - a.length;
}

/** A target of a URL's form as a path. Encoded slashes would make another path of it. */
function decoded(target, base) {
  if (/%2f|%5c/i.test(target)) {
    throw new ERR_INVALID_MODULE_SPECIFIER(target, 'must not include encoded "/" or "\\" characters', base);
  }
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

/** A resolution in progress: what error messages and nested steps need to know. */
class Target {
  constructor(packageDirectory, key, subpath, pattern, internal, names, base, resolvePackage) {
    this.packageDirectory = packageDirectory;  // ends with a slash
    this.packageJson = `${packageDirectory}package.json`;
    this.key = key;
    this.subpath = subpath;
    this.pattern = pattern;
    this.internal = internal;
    this.names = names;
    this.base = base;
    this.resolvePackage = resolvePackage;
  }

  invalid(target) {
    let shown = target;
    if (typeof target === 'object' && target !== null) shown = JSON.stringify(target, null, '');
    return new ERR_INVALID_PACKAGE_TARGET(this.packageDirectory, this.key, shown, this.internal, this.base);
  }

  resolveString(target) {
    if (this.subpath !== '' && !this.pattern && target[target.length - 1] !== '/') throw this.invalid(target);
    if (!target.startsWith('./')) return this.resolveOutside(target);
    if (invalidSegment.test(target.slice(2))) {
      if (deprecatedInvalidSegment.test(target.slice(2))) throw this.invalid(target);
      const request = this.pattern ? this.key.replace('*', () => this.subpath) : this.key + this.subpath;
      this.warnOfSlashes(target, request);
    }
    const resolved = path.join(this.packageDirectory, decoded(target, this.base));
    if (!resolved.startsWith(this.packageDirectory)) throw this.invalid(target);
    if (this.subpath === '') return resolved;
    if (invalidSegment.test(this.subpath)) this.checkSubpath(target);
    if (deprecatedInvalidSegment.test(this.subpath)) {
      const request = this.pattern ? this.key.replace('*', () => this.subpath) : this.key + this.subpath;
      throw new ERR_INVALID_MODULE_SPECIFIER(request,
        `request is not a valid match in pattern "${this.key}" for the "${this.internal ? 'imports' : 'exports'}" resolution of ${this.packageJson}`,
        this.base);
    }
    if (this.pattern) {
      return path.join(this.packageDirectory, decoded(target.replaceAll('*', () => this.subpath), this.base));
    }
    return path.join(resolved, this.subpath);
  }

  checkSubpath(target) {
    if (deprecatedInvalidSegment.test(this.subpath)) return;
    const request = this.pattern ? this.key.replace('*', () => this.subpath) : this.key + this.subpath;
    const resolved = this.pattern ? target.replaceAll('*', () => this.subpath) : target;
    this.warnOfSlashes(resolved, request);
  }

  /** Empty segments of paths, which work still. */
  warnOfSlashes(target, request) {
    if (!getOptionValue('--pending-deprecation') || process.noDeprecation) return;
    const double = /[^/\\][/\\]{2}|^#?[^/]*[/\\]{2}/.test(target.slice(1));
    process.emitWarning(
      `Use of deprecated ${double ? 'double slash' : 'leading or trailing slash matching'} resolving "${target}" for module ` +
      `request "${request}" ${request !== this.key ? `matched to "${this.key}" ` : ''}in the "${this.internal ? 'imports' : 'exports'}" ` +
      `field module resolution of the package at ${this.packageJson}${this.base ? ` imported from ${this.base}` : ''}.`,
      'DeprecationWarning', 'DEP0166');
  }

  /** Only "imports" may name another package or a builtin. */
  resolveOutside(target) {
    if (!this.internal || target.startsWith('../') || target.startsWith('/')) throw this.invalid(target);
    if (URL.canParse(target) && !target.startsWith('node:')) throw this.invalid(target);
    const specifier = this.pattern ? target.replaceAll('*', () => this.subpath) : target + this.subpath;
    return this.resolvePackage(specifier, `${this.packageDirectory}package.json`, this.names);
  }

  /** @returns {any} a path, what resolvePackage gave, null (excluded) or undefined (no match) */
  resolve(target) {
    if (typeof target === 'string') return this.resolveString(target);
    if (Array.isArray(target)) return this.resolveArray(target);
    if (target === null) return null;
    if (typeof target === 'object') return this.resolveConditions(target);
    throw this.invalid(target);
  }

  resolveArray(targets) {
    if (targets.length === 0) return null;
    let lastError;
    for (const target of targets) {
      let resolved;
      try {
        resolved = this.resolve(target);
      } catch (error) {
        lastError = error;
        if (error.code !== 'ERR_INVALID_PACKAGE_TARGET') throw error;
        continue;
      }
      if (resolved === undefined) continue;
      if (resolved === null) {
        lastError = null;
        continue;
      }
      return resolved;
    }
    if (lastError === undefined || lastError === null) return lastError;
    throw lastError;
  }

  resolveConditions(target) {
    for (const key of Object.keys(target)) {
      if (String(+key) === key && +key >= 0 && +key < 0xFFFF_FFFF) {
        throw new ERR_INVALID_PACKAGE_CONFIG(this.packageJson, this.base, '"exports" cannot contain numeric property keys.');
      }
    }
    for (const key of Object.keys(target)) {
      if (key !== 'default' && !this.names.has(key)) continue;
      const resolved = this.resolve(target[key]);
      if (resolved !== undefined) return resolved;
    }
    return undefined;
  }
}

/** The best key of `object` with one star that matches `request`; [key, what the star stands for]. */
function matchPattern(object, request) {
  let best = '';
  let bestPart = '';
  for (const key of Object.keys(object)) {
    const star = key.indexOf('*');
    if (star === -1 || !request.startsWith(key.slice(0, star))) continue;
    const tail = key.slice(star + 1);
    if (request.length >= key.length && request.endsWith(tail) && patternCompare(best, key) > 0 &&
        key.lastIndexOf('*') === star) {
      best = key;
      bestPart = request.slice(star, request.length - tail.length);
    }
  }
  return best === '' ? undefined : [best, bestPart];
}

/**
 * @param {string} packageDirectory with a slash at its end
 * @param {string} subpath "." or "./..."
 * @returns {any} what the package exports there
 */
function resolveExports(packageDirectory, subpath, config, base, names, resolvePackage) {
  let { exports } = config;
  if (isConditionalSugar(exports, config.path, base)) exports = { '.': exports };
  const step = (key, part, pattern) =>
    new Target(packageDirectory, key, part, pattern, false, names, base, resolvePackage).resolve(exports[key]);
  if (Object.hasOwn(exports, subpath) && !subpath.includes('*') && !subpath.endsWith('/')) {
    const resolved = step(subpath, '', false);
    if (resolved !== null && resolved !== undefined) return resolved;
    throw new ERR_PACKAGE_PATH_NOT_EXPORTED(packageDirectory, subpath, base);
  }
  const match = matchPattern(exports, subpath);
  if (match !== undefined) {
    const resolved = step(match[0], match[1], true);
    if (resolved !== null && resolved !== undefined) return resolved;
  }
  throw new ERR_PACKAGE_PATH_NOT_EXPORTED(packageDirectory, subpath, base);
}

/** "#name" by the package.json that governs the importer. `config` may be undefined. */
function resolveImports(name, config, base, names, resolvePackage) {
  if (name === '#' || name.startsWith('#/') || name.endsWith('/')) {
    throw new ERR_INVALID_MODULE_SPECIFIER(name, 'is not a valid internal imports specifier name', base);
  }
  if (config?.imports !== undefined) {
    const directory = `${path.dirname(config.path)}/`.replace(/^\/\/$/, '/');
    const { imports } = config;
    const step = (key, part, pattern) =>
      new Target(directory, key, part, pattern, true, names, base, resolvePackage).resolve(imports[key]);
    if (Object.hasOwn(imports, name) && !name.includes('*')) {
      const resolved = step(name, '', false);
      if (resolved !== null && resolved !== undefined) return resolved;
    } else {
      const match = matchPattern(imports, name);
      if (match !== undefined) {
        const resolved = step(match[0], match[1], true);
        if (resolved !== null && resolved !== undefined) return resolved;
      }
    }
  }
  throw new ERR_PACKAGE_IMPORT_NOT_DEFINED(name, config === undefined ? undefined : `${path.dirname(config.path)}/`, base);
}

/** "@scope/name/sub/path" -> { name, subpath: "./sub/path", scoped }. */
function parsePackageName(specifier, base) {
  let separator = specifier.indexOf('/');
  let valid = true;
  const scoped = specifier[0] === '@';
  if (scoped) {
    if (separator === -1 || specifier.length === 0) valid = false;
    else separator = specifier.indexOf('/', separator + 1);
  }
  const name = separator === -1 ? specifier : specifier.slice(0, separator);
  if (name === '' || name[0] === '.' || /[%\\]/.test(name)) valid = false;
  if (!valid) throw new ERR_INVALID_MODULE_SPECIFIER(specifier, 'is not a valid package name', base);
  return { name, subpath: `.${separator === -1 ? '' : specifier.slice(separator)}`, scoped };
}

function isBuiltin(specifier) {
  if (specifier.startsWith('node:')) return loader.isPublic(specifier.slice(5));
  return loader.canBeRequiredWithoutScheme(specifier);
}

module.exports = {
  resolveExports, resolveImports, parsePackageName, importConditions, requireConditions, isBuiltin,
};

'use strict';

// The specifier of an import -> a URL and a format.

const path = require('path');
const fsNative = binding('fs');
const {
  codes: {
    ERR_INVALID_MODULE_SPECIFIER, ERR_MODULE_NOT_FOUND, ERR_NETWORK_IMPORT_DISALLOWED, ERR_UNSUPPORTED_DIR_IMPORT,
    ERR_UNSUPPORTED_ESM_URL_SCHEME, ERR_UNSUPPORTED_RESOLVE_REQUEST, ERR_UNKNOWN_BUILTIN_MODULE,
  },
} = require('#internal/errors');
const packages = require('#module/package_json');
const packageResolver = require('#module/package_resolve');
const loader = require('#runtime/loader');
const hooks = require('#module/hooks');
const { getOptionValue } = require('#runtime/options');

const lazyUrl = () => require('url');

/** (parent, specifier, type) -> result */
const cache = new Map();

function isRelativeOrAbsolute(specifier) {
  return specifier[0] === '/' || specifier === '.' || specifier === '..' || specifier.startsWith('./') ||
    specifier.startsWith('../');
}

/** The file that a URL names must be a file; its symbolic links are resolved. */
function finalize(url, base) {
  if (/%2F|%5C/i.test(url.pathname)) {
    throw new ERR_INVALID_MODULE_SPECIFIER(url.pathname, 'must not include encoded "/" or "\\" characters', lazyPath(base));
  }
  let file;
  try {
    file = lazyUrl().fileURLToPath(url);
  } catch (error) {
    error.input ??= `${url}`;
    throw error;
  }
  const kind = fsNative.internalModuleStat(file.endsWith('/') ? file.slice(0, -1) : file);
  if (kind === 1) {
    throw new ERR_UNSUPPORTED_DIR_IMPORT(file, lazyPath(base), `${url}`);
  }
  if (kind !== 0 || file.endsWith('/')) {
    throw new ERR_MODULE_NOT_FOUND(file || url.pathname, base && lazyPath(base), url);
  }
  if (!getOptionValue('--preserve-symlinks')) {
    const real = fsNative.internalRealpath?.(file) ?? require('fs').realpathSync(file);
    // The same file has one URL, however its name was written.
    const { search, hash } = url;
    url = lazyUrl().pathToFileURL(real);
    url.search = search;
    url.hash = hash;
  }
  return url;
}

/** What require() would find for a specifier, as an import of it would have to be written; undefined if nothing. */
function hint(specifier, parentURL) {
  const parent = parentURL?.startsWith('file:') ? lazyPath(parentURL) : `${process.cwd()}/x`;
  const { Module } = require('#module/cjs');
  let found;
  try {
    found = Module.createRequire(parent).resolve(specifier);
  } catch {
    return undefined;
  }
  if (!path.isAbsolute(found)) return undefined;
  if (isRelativeOrAbsolute(specifier)) {
    const relative = path.relative(path.dirname(parent), found);
    const encoded = encodePath(relative);
    return relative.startsWith('../') ? encoded : `./${encoded}`;
  }
  const marker = '/node_modules/';
  const [folder, ...rest] = specifier.split('/');
  const start = found.lastIndexOf(`${marker}${folder}`);
  if (start === -1 || rest.length === 0) return lazyUrl().pathToFileURL(found).href;
  return encodePath(found.slice(start + marker.length));
}

/** The segments of a path as those of a URL. */
const encodePath = (file) => file.split('/').map((part) => lazyUrl().pathToFileURL(`/_${part}`).pathname.slice(2)).join('/');

/** Adds the hint to the message of an error, which also keeps the URL that was looked for. */
function explainMissing(error, specifier, parentURL) {
  const found = hint(specifier, parentURL);
  if (found !== undefined) error.message += `\nDid you mean to import ${JSON.stringify(found)}?`;
  return error;
}

function lazyPath(base) {
  return typeof base === 'string' && base.startsWith('file:') ? lazyUrl().fileURLToPath(base) : base;
}

function bareFromPackage(specifier, packageJson, names) {
  if (packageResolver.isBuiltin(specifier)) return specifier.startsWith('node:') ? specifier : `node:${specifier}`;
  return lazyUrl().fileURLToPath(resolvePackage(specifier, lazyUrl().pathToFileURL(packageJson).href, names));
}

function toUrl(resolved) {
  return resolved.startsWith('node:') ? new URL(resolved) : lazyUrl().pathToFileURL(resolved);
}

/** A bare specifier, from the node_modules folders above the importer. @returns {URL} */
function resolvePackage(specifier, base, names) {
  const { name, subpath } = packageResolver.parsePackageName(specifier, lazyPath(base));
  let from = base.startsWith('file:') ? lazyPath(base) : process.cwd();
  if (from.endsWith('/') || !base.startsWith('file:')) from = path.join(from, 'x');
  const own = packages.scopeOfFile(from);
  if (own !== undefined && own.name === name && own.exports !== undefined && own.exports !== null) {
    return toUrl(packageResolver.resolveExports(`${path.dirname(own.path)}/`, subpath, own, base, names, bareFromPackage));
  }
  for (let directory = path.dirname(from); ; directory = path.dirname(directory)) {
    if (path.basename(directory) !== 'node_modules') {
      const folder = path.join(directory, 'node_modules', name);
      if (fsNative.internalModuleStat(folder) === 1) {
        const config = packages.read(`${folder}/package.json`, lazyPath(base), specifier);
        if (config.exports !== undefined && config.exports !== null) {
          return toUrl(packageResolver.resolveExports(`${folder}/`, subpath, config, lazyPath(base), names, bareFromPackage));
        }
        if (subpath === '.') return legacyMain(folder, config, base);
        return new URL(subpath, lazyUrl().pathToFileURL(`${folder}/`));
      }
    }
    if (directory === '/') break;
  }
  throw new ERR_MODULE_NOT_FOUND(name, lazyPath(base), undefined);
}

function legacyMain(folder, config, base) {
  const tries = [];
  if (config.main !== undefined) {
    for (const tail of ['', '.js', '.json', '.node', '/index.js', '/index.json', '/index.node']) tries.push(config.main + tail);
  }
  tries.push('index.js', 'index.json', 'index.node');
  for (const candidate of tries) {
    const file = path.resolve(folder, candidate);
    if (fsNative.internalModuleStat(file) !== 0) continue;
    warnOfLegacyIndex(folder, file, config, base);
    return lazyUrl().pathToFileURL(file);
  }
  throw new ERR_MODULE_NOT_FOUND(folder, lazyPath(base), undefined);
}

/** ES modules are to be named in full: what an extension or a default index had to complete is deprecated. */
function warnOfLegacyIndex(folder, file, { main }, base) {
  if (formatOf(lazyUrl().pathToFileURL(file)) !== 'module') return;
  const shown = file.slice(folder.length + 1);
  if (main && path.resolve(folder, main) === file) return;
  const from = base.startsWith('file:') ? lazyPath(base) : base;
  const message = main
    ? `Package ${folder}/ has a "main" field set to "${main}", excluding the full filename and extension to the resolved ` +
      `file at "${shown}", imported from ${from}.\n Automatic extension resolution of the "main" field is deprecated for ES modules.`
    : `No "main" or "exports" field defined in the package.json for ${folder}/ resolving the main entry point "${shown}", ` +
      `imported from ${from}.\nDefault "index" lookups for the main are deprecated for ES modules.`;
  process.emitWarning(message, 'DeprecationWarning', 'DEP0151');
}

const formats = {
  '__proto__': null, '.cjs': 'commonjs', '.mjs': 'module', '.json': 'json', '.wasm': 'wasm', '.node': 'addon',
  '.cts': 'commonjs-typescript', '.mts': 'module-typescript',
};

/** The format by a file's name and its package; undefined leaves it to what the source is. */
function formatOf(url) {
  const { pathname } = url;
  const extension = path.extname(pathname);
  const fixed = formats[extension];
  if (fixed !== undefined) return fixed;
  if (extension !== '.js' && extension !== '' && extension !== '.ts') return undefined;
  const type = packages.scopeOfFile(lazyUrl().fileURLToPath(url))?.type ?? 'none';
  if (extension === '.ts') return type === 'none' ? 'detect-typescript' : `${type}-typescript`;
  return type === 'none' ? 'detect' : type;
}

/** @returns {{ url: string, format?: string }} */
function defaultResolve(specifier, context) {
  try {
    return resolveByDefault(specifier, context);
  } catch (error) {
    if (error?.code === 'ERR_MODULE_NOT_FOUND') throw explainMissing(error, specifier, context.parentURL);
    throw error;
  }
}

function resolveByDefault(specifier, context) {
  const parentURL = context.parentURL ?? lazyUrl().pathToFileURL(`${process.cwd()}/`).href;
  const names = context.conditions ? new Set(context.conditions) : packageResolver.importConditions();
  let url;
  if (isRelativeOrAbsolute(specifier)) {
    if (parentURL?.startsWith('data:') && specifier[0] !== '/') {
      throw new ERR_UNSUPPORTED_RESOLVE_REQUEST(specifier, parentURL);
    }
    url = URL.parse(specifier, parentURL);
    if (url === null) throw new ERR_UNSUPPORTED_RESOLVE_REQUEST(specifier, parentURL);
  } else if (specifier[0] === '#') {
    const config = parentURL?.startsWith('file:') ? packages.scopeOfFile(lazyPath(parentURL)) : undefined;
    url = toUrl(packageResolver.resolveImports(specifier, config, lazyPath(parentURL), names, bareFromPackage));
  } else {
    url = URL.parse(specifier);
    if (url === null) {
      if (loader.canBeRequiredWithoutScheme(specifier)) return { url: `node:${specifier}`, format: 'builtin' };
      if (parentURL?.startsWith('data:')) throw new ERR_UNSUPPORTED_RESOLVE_REQUEST(specifier, parentURL);
      url = resolvePackage(specifier, parentURL ?? lazyUrl().pathToFileURL(`${process.cwd()}/`).href, names);
    }
  }
  switch (url.protocol) {
    case 'node:':
      if (!loader.isPublic(url.href.slice(5))) throw new ERR_UNKNOWN_BUILTIN_MODULE(url.href);
      return { url: url.href, format: 'builtin' };
    case 'data:':
      return { url: url.href, format: undefined };
    case 'file:':
      url = finalize(url, parentURL);
      return { url: url.href, format: formatOf(url) };
    case 'http:':
    case 'https:':
      if (parentURL?.startsWith('http')) throw new ERR_NETWORK_IMPORT_DISALLOWED(specifier, parentURL, 'remote imports are not supported');
      throw new ERR_UNSUPPORTED_ESM_URL_SCHEME(url, ['file', 'data', 'node']);
    default:
      throw new ERR_UNSUPPORTED_ESM_URL_SCHEME(url, ['file', 'data', 'node']);
  }
}

function resolve(specifier, parentURL, importAttributes, fresh = false) {
  fresh ||= hooks.areThere();
  const key = `${parentURL}\x00${specifier}\x00${importAttributes?.type ?? ''}`;
  const known = fresh ? undefined : cache.get(key);
  if (known !== undefined) return known;
  const context = { conditions: undefined, importAttributes: { ...importAttributes }, parentURL };
  Object.defineProperty(context, 'conditions', {
    __proto__: null, get: () => [...packageResolver.importConditions()], enumerable: true,
  });
  const result = hooks.resolveForImport(specifier, context, defaultResolve);
  if (!fresh) cache.set(key, result);
  return result;
}

/** Hooks that join may see things otherwise. */
function forgetResolutions() {
  cache.clear();
}

module.exports = { resolve, defaultResolve, formatOf, forgetResolutions };

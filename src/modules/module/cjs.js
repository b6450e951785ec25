'use strict';

// CommonJS: require, its caches and its way of finding files. The algorithm is that of Node's documentation
// (Modules: CommonJS modules, "All together").

const path = require('path');
const fsNative = binding('fs');
const { compileFunction } = binding('module');
const {
  codes: {
    ERR_INVALID_ARG_VALUE, ERR_INVALID_MODULE_SPECIFIER, ERR_REQUIRE_CYCLE_MODULE, ERR_REQUIRE_ESM, ERR_UNKNOWN_BUILTIN_MODULE,
  },
} = require('#internal/errors');
const { tracing } = require('#internal/diagnostics');
const { validateString } = require('#internal/validators');
const loader = require('#runtime/loader');
const { getOptionValue } = require('#runtime/options');
const packages = require('#module/package_json');
const resolver = require('#module/package_resolve');
const detect = require('#module/detect');
const hooks = require('#module/hooks');

const kParent = Symbol('parent');
const kIsMain = Symbol('main module');
/** Set while a module is being loaded by require(): true, or kEsm for an ES module. */
const kLoading = Symbol('loading');
const kEsm = 'ES module';
/** The URL of a module whose source came from hooks. */
const kHookedUrl = Symbol('hooked URL');
const wrapperParameters = ['exports', 'require', 'module', '__filename', '__dirname'];

/** The stat results of one outermost require. */
let statCache = null;
/** (parent directory, request) -> filename, for requests that were loaded already. */
const relativeCache = Object.create(null);

function Module(id = '', parent) {
  this.id = id;
  this.path = path.dirname(id);
  define(this, 'exports', {});
  this[kParent] = parent;
  parent?.children?.push(this);
  this.filename = null;
  this.loaded = false;
  this.children = [];
}

function define(target, name, value) {
  Object.defineProperty(target, name, {
    __proto__: null, value, writable: true, enumerable: true, configurable: true,
  });
}

Module._cache = { __proto__: null };
Module._pathCache = { __proto__: null };
Module._extensions = { __proto__: null };
Module.globalPaths = [];
Module.isPreloading = false;
Module._debug = () => {};
let wrapper = ['(function (exports, require, module, __filename, __dirname) { ', '\n});'];
let wrapperPatched = false;
Module.wrap = function wrap(script) {
  return wrapper[0] + script + wrapper[1];
};
Object.defineProperty(Module, 'wrapper', {
  __proto__: null,
  get() {
    wrapperPatched = true;
    return wrapper;
  },
  set(value) {
    wrapperPatched = true;
    wrapper = value;
  },
  enumerable: true,
  configurable: true,
});
const originalWrap = Module.wrap;

Object.defineProperty(Module.prototype, 'parent', {
  __proto__: null,
  get() { return this[kParent]; },
  set(value) { this[kParent] = value; },
  enumerable: false,
  configurable: true,
});
Object.defineProperty(Module.prototype, 'isPreloading', {
  __proto__: null, get: () => Module.isPreloading, configurable: true,
});
Object.defineProperty(Module.prototype, 'constructor', {
  __proto__: null, get: () => Module, configurable: true,
});

function stat(file) {
  if (statCache !== null) {
    const known = statCache.get(file);
    if (known !== undefined) return known;
  }
  const kind = fsNative.internalModuleStat(file);
  if (statCache !== null && kind >= 0) statCache.set(file, kind);
  return kind;
}

function toRealPath(file) {
  const real = fsNative.internalRealpath?.(file);
  return real ?? require('fs').realpathSync(file);
}

/** @returns {string | false} */
function tryFile(file, isMain) {
  if (stat(file) !== 0) return false;
  if (getOptionValue('--preserve-symlinks') && !isMain) return path.resolve(file);
  if (isMain && getOptionValue('--preserve-symlinks-main')) return path.resolve(file);
  return toRealPath(file);
}

function tryExtensions(base, extensions, isMain) {
  for (const extension of extensions) {
    const found = tryFile(base + extension, isMain);
    if (found) return found;
  }
  return false;
}

function tryPackage(directory, extensions, isMain, request) {
  const { main } = packages.read(path.join(directory, 'package.json'));
  if (!main) return tryExtensions(path.resolve(directory, 'index'), extensions, isMain);
  const file = path.resolve(directory, main);
  const found = tryFile(file, isMain) || tryExtensions(file, extensions, isMain) ||
    tryExtensions(path.resolve(file, 'index'), extensions, isMain);
  if (found) return found;
  const index = tryExtensions(path.resolve(directory, 'index'), extensions, isMain);
  if (index === false) {
    const error = new Error(`Cannot find module '${file}'. Please verify that the package.json has a valid "main" entry`);
    error.code = 'MODULE_NOT_FOUND';
    error.path = path.resolve(directory, 'package.json');
    error.requestPath = request;
    throw error;
  }
  const { emitWarning } = process;
  emitWarning(`Invalid 'main' field in '${path.join(directory, 'package.json')}' of '${main}'. Please either fix that or ` +
    'report it to the module author', 'DeprecationWarning', 'DEP0128');
  return index;
}

/** "exports" of a package in a node_modules folder, if it has them. */
function resolveExports(nodeModules, request, names) {
  const match = /^((?:@[^/\\%]+\/)?[^./\\%][^/\\%]*)(\/.*)?$/.exec(request);
  if (match === null) return false;
  const directory = path.resolve(nodeModules, match[1]);
  const config = packages.read(`${directory}/package.json`);
  if (config.exports === undefined || config.exports === null) return false;
  const resolved = resolver.resolveExports(`${directory}/`, `.${match[2] ?? ''}`, config, null, names, resolveFromPackage);
  return finish(resolved, request, directory);
}

/** What "exports" or "imports" point to must be there: no extension is tried. */
function finish(file, request, directory) {
  if (typeof file !== 'string') return file;
  if (file.startsWith('node:')) return file;
  if (/%2f|%5c/i.test(file)) {
    throw new ERR_INVALID_MODULE_SPECIFIER(file, 'must not include encoded "/" or "\\" characters', directory);
  }
  const found = tryFile(file);
  if (found) return found;
  const error = new Error(`Cannot find module '${file}'`);
  error.code = 'MODULE_NOT_FOUND';
  error.path = path.resolve(directory, 'package.json');
  throw error;
}

/** A bare specifier out of an "imports" target. */
function resolveFromPackage(specifier, packageJson) {
  if (resolver.isBuiltin(specifier)) return specifier.startsWith('node:') ? specifier : `node:${specifier}`;
  return Module._resolveFilename(specifier, fakeParent(packageJson));
}

function fakeParent(filename) {
  const parent = new Module(filename, undefined);
  parent.filename = filename;
  parent.paths = Module._nodeModulePaths(parent.path);
  return parent;
}

Module._findPath = function(request, paths, isMain, names = resolver.requireConditions()) {
  const absolute = path.isAbsolute(request);
  if (absolute) paths = [''];
  else if (!paths || paths.length === 0) return false;
  const key = `${request}\x00${paths.length === 1 ? paths[0] : paths.join('\x00')}`;
  const cached = Module._pathCache[key];
  if (cached) return cached;
  const trailing = namesFolder(request);
  const insidePackage = !absolute && !isRelative(request);
  let extensions;
  for (const folder of paths) {
    // A folder that is gone still has a parent.
    if (folder && !request.startsWith('..') && stat(folder) !== 1) continue;
    if (insidePackage) {
      const exported = resolveExports(folder, request, names);
      if (exported) return exported;
    }
    const base = path.resolve(folder, request);
    let found = false;
    const kind = stat(base);
    if (!trailing) {
      if (kind === 0) found = tryFile(base, isMain);
      if (!found) {
        extensions ??= Object.keys(Module._extensions);
        found = tryExtensions(base, extensions, isMain);
      }
    }
    if (!found && kind === 1) {
      extensions ??= Object.keys(Module._extensions);
      found = tryPackage(base, extensions, isMain, request);
    }
    if (found) {
      Module._pathCache[key] = found;
      return found;
    }
  }
  return false;
};

Module._nodeModulePaths = function(from) {
  from = path.resolve(from);
  const paths = [];
  for (let directory = from; ; directory = path.dirname(directory)) {
    if (path.basename(directory) !== 'node_modules') paths.push(directory === '/' ? '/node_modules' : `${directory}/node_modules`);
    if (directory === '/') return paths;
  }
};

Module._initPaths = function() {
  const home = process.env.HOME;
  const paths = [path.resolve(process.execPath, '..', '..', 'lib', 'node')];
  if (home) paths.unshift(path.resolve(home, '.node_modules'), path.resolve(home, '.node_libraries'));
  const extra = process.env.NODE_PATH;
  if (extra) paths.unshift(...extra.split(path.delimiter).filter(Boolean));
  modulePaths = paths;
  Module.globalPaths = [...paths];
};
let modulePaths = [];

/** Whether a request ends in `/`, `.` or `..`: then only a folder will do. */
function namesFolder(request) {
  const last = request.slice(request.lastIndexOf('/') + 1);
  return request !== '' && (last === '' || last === '.' || last === '..');
}

function isRelative(request) {
  return request[0] === '.' && (request.length === 1 || request[1] === '/' ||
    (request[1] === '.' && (request.length === 2 || request[2] === '/')));
}

Module._resolveLookupPaths = function(request, parent) {
  if (resolver.isBuiltin(request)) return null;
  if (!isRelative(request)) {
    const paths = parent?.paths?.length ? [...parent.paths, ...modulePaths] : [...modulePaths];
    return paths.length > 0 ? paths : null;
  }
  if (!parent || !parent.id || !parent.filename) return ['.'];
  return [path.dirname(parent.filename)];
};

function lookupPaths(request, parent, options) {
  if (options?.paths === undefined) return Module._resolveLookupPaths(request, parent);
  if (!Array.isArray(options.paths)) throw new ERR_INVALID_ARG_VALUE('options.paths', options.paths);
  for (const folder of options.paths) validateString(folder, 'options.paths');
  if (isRelative(request)) return options.paths;
  const paths = [];
  for (const folder of options.paths) {
    const parentThere = new Module('', null);
    parentThere.paths = Module._nodeModulePaths(folder);
    for (const candidate of Module._resolveLookupPaths(request, parentThere) ?? []) {
      if (!paths.includes(candidate)) paths.push(candidate);
    }
  }
  return paths;
}

/** A package that asks for itself by its own name, through its "exports". */
function resolveSelf(parent, request, names) {
  const from = parent?.filename ?? 
    (parent?.id === '<repl>' || parent?.id === 'internal/preload' ? `${process.cwd()}/<repl>` : undefined);
  if (!from) return false;
  const config = packages.scopeOfFile(from);
  if (config?.exports === undefined || config.exports === null || config.name === undefined) return false;
  if (request !== config.name && !request.startsWith(`${config.name}/`)) return false;
  const directory = path.dirname(config.path);
  const resolved = resolver.resolveExports(`${directory}/`, `.${request.slice(config.name.length)}`, config, from, names,
                                           resolveFromPackage);
  return finish(resolved, request, directory);
}

function requireStack(parent) {
  const stack = [];
  for (let cursor = parent; cursor; cursor = cursor[kParent]) stack.push(cursor.filename || cursor.id);
  return stack;
}

Module._resolveFilename = function(request, parent, isMain, options) {
  if (resolver.isBuiltin(request)) return request;
  const names = options?.conditions ?? resolver.requireConditions();
  const paths = lookupPaths(request, parent, options);
  if (request[0] === '#' && (parent?.filename || parent?.id === '<repl>')) {
    const from = parent?.filename ?? `${process.cwd()}/`;
    const config = packages.scopeOfFile(from);
    if (config?.imports !== undefined) {
      const resolved = resolver.resolveImports(request, config, from, names, resolveFromPackage);
      return finish(resolved, request, path.dirname(config.path));
    }
  }
  if (!isRelative(request) && !path.isAbsolute(request)) {
    const self = resolveSelf(parent, request, names);
    if (self) return self;
  }
  const filename = Module._findPath(request, paths, isMain, names);
  if (filename) return filename;
  const stack = requireStack(parent);
  let message = `Cannot find module '${request}'`;
  if (stack.length > 0) message += `\nRequire stack:\n- ${stack.join('\n- ')}`;
  const error = new Error(message);
  error.code = 'MODULE_NOT_FOUND';
  error.requireStack = stack;
  throw error;
};

/** An unfinished module of a cycle: reading what is not there yet is a mistake worth a warning. */
const cycleProxy = new Proxy({}, {
  get(target, property) {
    if (property in target || property === '__esModule') return target[property];
    warnOfCycle(property);
    return undefined;
  },
  getOwnPropertyDescriptor(target, property) {
    if (Object.hasOwn(target, property) || property === '__esModule') {
      return Object.getOwnPropertyDescriptor(target, property);
    }
    warnOfCycle(property);
    return undefined;
  },
});
function warnOfCycle(property) {
  process.emitWarning(`Accessing non-existent property '${String(property)}' of module exports inside circular dependency`);
}

function exportsForCycle(module) {
  const { exports } = module;
  if (module[kLoading] === kEsm) {
    const from = module[kParent]?.filename;
    throw new ERR_REQUIRE_CYCLE_MODULE(`Cannot require() ES Module ${module.filename} in a cycle.${from ? ` (from ${from})` : ''}`);
  }
  if (module.filename?.endsWith('.mjs') || exports === null || typeof exports !== 'object') return exports;
  if (Object.getPrototypeOf(exports) !== Object.prototype || exports.__esModule || require('util').types.isProxy(exports)) return exports;
  Object.setPrototypeOf(exports, cycleProxy);
  return exports;
}

function loadBuiltin(name) {
  return loader.requireBuiltin(name);
}

function updateChildren(parent, child) {
  const children = parent?.children;
  if (children && !children.includes(child)) children.push(child);
}

/** Module.runMain as node:module made it. */
let runMain;
function noteRunMain(fn) {
  runMain = fn;
}

/** node:test's mocks, once there is one: (request, parent, isMain) -> { exports } or undefined. */
let mocks;
function setMocks(find) {
  mocks = find;
}

Module._load = function(request, parent, isMain) {
  if (mocks !== undefined) {
    const mock = mocks(request, parent, isMain);
    if (mock !== undefined) return mock.exports;
  }
  let relativeKey;
  if (parent) {
    relativeKey = `${parent.path}\x00${request}`;
    const filename = relativeCache[relativeKey];
    if (filename !== undefined) {
      const cached = Module._cache[filename];
      if (cached !== undefined) {
        updateChildren(parent, cached);
        return cached.loaded ? cached.exports : exportsForCycle(cached);
      }
      delete relativeCache[relativeKey];
    }
  }
  if (request.startsWith('node:')) {
    const name = request.slice(5);
    if (!loader.isPublic(name)) throw new ERR_UNKNOWN_BUILTIN_MODULE(request);
    return loadBuiltin(name);
  }
  const hooked = hooks.resolveForRequire(request, parent, isMain);
  if (hooked !== undefined && hooked.url.startsWith('node:')) return loadBuiltin(hooked.url.slice(5));
  const filename = hooked?.filename ?? Module._resolveFilename(request, parent, isMain);
  const cached = Module._cache[filename];
  if (cached !== undefined) {
    updateChildren(parent, cached);
    return cached.loaded ? cached.exports : exportsForCycle(cached);
  }
  if (filename.startsWith('node:')) return loadBuiltin(filename.slice(5));
  if (loader.canBeRequiredWithoutScheme(filename)) return loadBuiltin(filename);

  const module = new Module(filename, parent);
  if (isMain) {
    setMain(module);
    module.id = '.';
    module[kIsMain] = true;
  }
  if (hooked !== undefined) module[hooks.kHooked] = hooked;
  if (loader.isLoaded('#watch/reporter')) require('#watch/reporter').report(filename);
  Module._cache[filename] = module;
  if (relativeKey !== undefined) relativeCache[relativeKey] = filename;
  let failed = true;
  module[kLoading] = true;
  try {
    module.load(filename);
    failed = false;
  } finally {
    delete module[kLoading];
    if (failed) {
      delete Module._cache[filename];
      if (parent) {
        delete relativeCache[relativeKey];
        const index = parent.children?.indexOf(module) ?? -1;
        if (index !== -1) parent.children.splice(index, 1);
      }
    } else if (module.exports !== null && typeof module.exports === 'object' &&
               Object.getPrototypeOf(module.exports) === cycleProxy) {
      Object.setPrototypeOf(module.exports, Object.prototype);
    }
  }
  return module.exports;
};

function setMain(module) {
  process.mainModule = module;
  Module._main = module;
  Object.defineProperty(Module, '_main', { __proto__: null, enumerable: false, writable: true });
}

/** The extension by which a file is loaded: the longest one that Module._extensions knows. */
function extensionOf(filename) {
  const name = path.basename(filename);
  let start = 0;
  let index;
  while ((index = name.indexOf('.', start)) !== -1) {
    start = index + 1;
    if (index === 0) continue;
    const extension = name.slice(index);
    if (Module._extensions[extension]) return extension;
  }
  return '.js';
}

Module.prototype.load = function(filename) {
  this.filename ??= filename;
  this.paths ??= Module._nodeModulePaths(path.dirname(filename));
  const extension = extensionOf(filename);
  if (filename.endsWith('.mjs') && !Module._extensions['.mjs']) throw new ERR_REQUIRE_ESM(filename, true);
  Module._extensions[extension](this, filename);
  this.loaded = true;
};

Module.prototype.require = function(id) {
  validateString(id, 'id');
  if (id === '') throw new ERR_INVALID_ARG_VALUE('id', id, 'must be a non-empty string');
  const channel = tracing('module.require');
  if (channel === undefined) return requireFrom(this, id);
  return channel.traceSync(requireFrom, { __proto__: null, parentFilename: this.filename, id }, undefined, this, id);
};

function requireFrom(module, id) {
  if (module[kHookedUrl] !== undefined) return require('#module/esm').requireHooked(id, module[kHookedUrl]);
  const outermost = statCache === null;
  if (outermost) statCache = new Map();
  try {
    return Module._load(id, module, false);
  } finally {
    if (outermost) statCache = null;
  }
}

function makeRequire(module) {
  const require = function require(id) {
    return module.require(id);
  };
  require.resolve = function resolve(request, options) {
    validateString(request, 'request');
    return Module._resolveFilename(request, module, false, options);
  };
  require.resolve.paths = function paths(request) {
    validateString(request, 'request');
    return Module._resolveLookupPaths(request, module);
  };
  require.main = process.mainModule;
  require.extensions = Module._extensions;
  require.cache = Module._cache;
  return require;
}

/** Compiles by what the compile cache has. */
function compileCached(filename, content) {
  const cache = require('#module/compile_cache');
  if (!cache.isEnabled() || !path.isAbsolute(filename)) {
    return compileFunction(content, filename, wrapperParameters, undefined, 0, 0);
  }
  const entry = cache.lookUp('CommonJS', filename, content);
  const outcome = { rejected: false };
  const compiled = compileFunction(content, filename, wrapperParameters, undefined, 0, 0, entry.payload, outcome);
  cache.note(entry, outcome.rejected, () => binding('module').codeCacheOf(compiled));
  return compiled;
}

function compileWrapped(filename, content) {
  if (!wrapperPatched && Module.wrap === originalWrap) {
    if (loader.isLoaded('#module/compile_cache')) return compileCached(filename, content);
    return compileFunction(content, filename, wrapperParameters, undefined, 0, 0);
  }
  return binding('module').runScript(Module.wrap(content), filename, undefined);
}

/** @param {string} content @param {string} filename @param {string} [format] */
/** JavaScript of TypeScript, and what kind of module it is: undefined where its syntax has to tell. */
function fromTypeScript(content, filename, format) {
  const isCommonJs = filename.endsWith('.cts') || packages.scopeOfFile(filename)?.type === 'commonjs';
  const stripped = require('#module/typescript').strip(content, filename);
  if (format === 'module-typescript') return [stripped, 'module'];
  return [stripped, isCommonJs ? 'commonjs' : undefined];
}

Module.prototype._compile = function(content, filename, format) {
  let compiled;
  if (format === 'commonjs-typescript' || format === 'module-typescript') {
    [content, format] = fromTypeScript(content, filename, format);
  }
  if (format !== 'module') {
    try {
      compiled = compileWrapped(filename, content);
    } catch (error) {
      if (format === 'commonjs') detect.warnOfEsmSyntax(error, filename);
      if (format === 'commonjs' || !detect.isEsmSyntaxError(error, content, filename)) throw error;
      format = 'module';
    }
  }
  if (format === 'module') {
    loadEsm(this, filename, content);
    return undefined;
  }
  if (loader.isLoaded('#module/source_map_support')) noteSourceMap(this, filename, content, compiled);
  const directory = path.dirname(filename);
  const require = makeRequire(this);
  const { exports } = this;
  const args = [exports, require, this, filename, directory];
  // --inspect-brk stops at the program's first statement.
  if (this[kIsMain] && loader.isLoaded('#inspector/remote')) {
    return loader.requireBuiltin('#inspector/remote').callMain(compiled, exports, args);
  }
  return Reflect.apply(compiled, exports, args);
};

/** Loaded only when somebody wants source maps. */
function noteSourceMap(module, filename, content, compiled) {
  const support = require('#module/source_map_support');
  if (support.isActive()) support.note(filename, content, binding('module').sourceMapUrlOf(compiled), module);
}

/** require() of an ES module: its namespace, once its graph has run without awaiting anything. */
function loadEsm(module, filename, source) {
  if (!getOptionValue('--experimental-require-module')) {
    throw new ERR_REQUIRE_ESM(filename, packages.scopeOfFile(filename)?.type === 'module', module[kParent]?.filename);
  }
  if (module[kLoading] !== undefined && !module[kIsMain]) module[kLoading] = kEsm;
  require('#module/esm').requireEsm(module, filename, source, module[kIsMain]);
}

function stripBom(content) {
  return content.charCodeAt(0) === 0xFEFF ? content.slice(1) : content;
}

function readSource(filename) {
  const content = fsNative.readFileUtf8(filename);
  return content === undefined ? require('fs').readFileSync(filename, 'utf8') : content;
}

function sourceOf(module, filename) {
  const hooked = hooks.loadForRequire(module, filename);
  return hooked ?? { source: readSource(filename), format: undefined };
}

Module._extensions['.js'] = function(module, filename) {
  const { source, format: hookFormat } = sourceOf(module, filename);
  let format = hookFormat;
  if (format === undefined || format === null) {
    if (filename.endsWith('.mjs')) format = 'module';
    else if (filename.endsWith('.cjs')) format = 'commonjs';
    else {
      const type = packages.scopeOfFile(filename)?.type;
      if (type === 'module' && filename.endsWith('.js')) format = 'module';
      else if (type === 'commonjs') format = 'commonjs';
    }
  }
  if (format === 'json') {
    module.exports = JSON.parse(stripBom(String(source)));
    return;
  }
  module._compile(stripBom(typeof source === 'string' ? source : Buffer.from(source).toString()), filename, format);
};

Module._extensions['.json'] = function(module, filename) {
  const { source } = sourceOf(module, filename);
  try {
    module.exports = JSON.parse(stripBom(String(source)));
  } catch (error) {
    error.message = `${filename}: ${error.message}`;
    throw error;
  }
};

Module._extensions['.node'] = function(module, filename) {
  return process.dlopen(module, path.toNamespacedPath(filename));
};

function typescriptExtension(format) {
  return function(module, filename) {
    const { source, format: hookFormat } = sourceOf(module, filename);
    const type = format ?? packages.scopeOfFile(filename)?.type;
    // Compilers that put a _compile of their own in the way get TypeScript.
    module._compile(typeof source === 'string' ? source : Buffer.from(source).toString(), filename,
      hookFormat ?? (type === 'module' ? 'module-typescript' : 'commonjs-typescript'));
  };
}
for (const [extension, format] of [['.ts', undefined], ['.cts', 'commonjs'], ['.mts', 'module']]) {
  Object.defineProperty(Module._extensions, extension, {
    __proto__: null,
    value: typescriptExtension(format),
    writable: true,
    enumerable: extension === '.ts',
    configurable: true,
  });
}
Object.defineProperty(Module._extensions, '.mjs', {
  __proto__: null,
  value(module, filename) { Module._extensions['.js'](module, filename); },
  writable: true, enumerable: false, configurable: true,
});

Module._preloadModules = function(requests) {
  if (!Array.isArray(requests)) return;
  Module.isPreloading = true;
  const parent = new Module('internal/preload', null);
  try {
    parent.paths = Module._nodeModulePaths(process.cwd());
  } catch (error) {
    if (error.code !== 'ENOENT') {
      Module.isPreloading = false;
      throw error;
    }
  }
  for (const request of requests) parent.require(request);
  Module.isPreloading = false;
};

Module.createRequire = function createRequire(filename) {
  let file;
  if (filename instanceof URL || (typeof filename === 'string' && !path.isAbsolute(filename))) {
    try {
      file = require('url').fileURLToPath(filename);
    } catch {
      throw new ERR_INVALID_ARG_VALUE('filename', filename, 'must be a file URL object, file URL string, or absolute path string');
    }
  } else if (typeof filename !== 'string') {
    throw new ERR_INVALID_ARG_VALUE('filename', filename, 'must be a file URL object, file URL string, or absolute path string');
  } else {
    file = filename;
  }
  const trailing = file.endsWith('/');
  const inside = trailing ? path.join(file, 'noop.js') : file;
  const module = new Module(inside);
  module.filename = inside;
  module.paths = Module._nodeModulePaths(module.path);
  return makeRequire(module);
};

Module.isBuiltin = function isBuiltin(name) {
  return typeof name === 'string' && resolver.isBuiltin(name);
};

Module.Module = Module;


/** Forgets every module that was loaded. */
function forget() {
  Module._cache = { __proto__: null };
  Module._pathCache = { __proto__: null };
  for (const key of Object.keys(relativeCache)) delete relativeCache[key];
  Module.globalPaths = [];
  modulePaths = [];
  delete process.mainModule;
  delete Module._main;
  packages.forget();
}

module.exports = {
  Module, forget, kIsMain, kParent, kHookedUrl, kLoading, makeRequire, setMain, setMocks, toRealPath, noteRunMain,
  ownRunMain: () => runMain, stripBom, readSource,
};

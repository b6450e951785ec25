'use strict';

// A loaded source -> a module, by its format.

const { ModuleWrap, kErrored } = binding('module');
const { codes: { ERR_INVALID_RETURN_PROPERTY_VALUE } } = require('#internal/errors');
const loader = require('#runtime/loader');

let lexer;

function text(source, url) {
  if (typeof source === 'string') return source;
  if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer || source instanceof SharedArrayBuffer) {
    return new TextDecoder().decode(source);
  }
  throw new ERR_INVALID_RETURN_PROPERTY_VALUE('string, array buffer, or typed array', 'load', 'source', source, url);
}

/** Compiles by what the compile cache has. */
function compileCached(url, content) {
  const cache = require('#module/compile_cache');
  if (!cache.isEnabled() || !url.startsWith('file:')) return new ModuleWrap(url, content, undefined);
  const entry = cache.lookUp('ESM', url, content);
  let rejected = false;
  let wrap;
  try {
    wrap = new ModuleWrap(url, content, undefined, undefined, 0, 0, entry.payload);
  } catch (error) {
    if (error?.code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
    rejected = true;
    wrap = new ModuleWrap(url, content, undefined);
  }
  cache.note(entry, rejected, () => (wrap.getStatus() === kErrored ? undefined : wrap.createCachedData()));
  return wrap;
}

function esmSource(url, source) {
  const content = text(source, url);
  const wrap = loader.isLoaded('#module/compile_cache') ? compileCached(url, content) : new ModuleWrap(url, content, undefined);
  if (loader.isLoaded('#module/source_map_support')) {
    const support = require('#module/source_map_support');
    if (support.isActive()) support.note(url, content, wrap.sourceMapUrl());
  }
  return wrap;
}

/** The named exports of a CommonJS source, those that it re-exports included. */
function commonJsNames(filename, source, seen = new Set()) {
  seen.add(filename);
  const names = new Set(['default', 'module.exports']);
  if (lexer === undefined) {
    lexer = require('~cjs-module-lexer');
    lexer.initSync?.();
  }
  let found;
  try {
    found = lexer.parse(source);
  } catch {
    return names;
  }
  for (const name of found.exports) names.add(name);
  const { Module, readSource } = require('#module/cjs');
  for (const reexport of found.reexports) {
    let target;
    try {
      target = Module._resolveFilename(reexport, parentFor(filename));
    } catch {
      continue;
    }
    if (seen.has(target) || !target.startsWith('/') || !/\.(c?js)$|\/[^.]*$/.test(target)) continue;
    try {
      for (const name of commonJsNames(target, readSource(target), seen)) names.add(name);
    } catch {
      // What cannot be read will fail when it is required.
    }
  }
  return names;
}

function parentFor(filename) {
  const { Module } = require('#module/cjs');
  const parent = new Module(filename);
  parent.filename = filename;
  parent.paths = Module._nodeModulePaths(parent.path);
  return parent;
}

function commonJs(url, source, loaded) {
  const { fileURLToPath } = require('url');
  const { Module, readSource } = require('#module/cjs');
  const filename = url.startsWith('file:') ? fileURLToPath(url.replace(/[?#].*$/s, '')) : url;
  const cached = Module._cache[filename];
  let names;
  if (cached?.loaded && cached.exports !== null && (typeof cached.exports === 'object' || typeof cached.exports === 'function')) {
    names = new Set(['default', 'module.exports', ...Object.keys(cached.exports)]);
    for (const name of commonJsNames(filename, source ?? readSource(filename))) names.add(name);
  } else {
    names = commonJsNames(filename, text(source ?? readSource(filename), url));
  }
  const list = [...names];
  const wrap = new ModuleWrap(url, list, () => {
    const exports = runCommonJs(filename, url, source, loaded);
    const isObject = exports !== null && (typeof exports === 'object' || typeof exports === 'function');
    for (const name of list) {
      if (name === 'default' || name === 'module.exports') continue;
      let value;
      if (isObject && Object.hasOwn(exports, name)) {
        try {
          value = exports[name];
        } catch {
          // A getter that throws leaves the name undefined.
        }
      } else if (isObject && name in exports) {
        value = exports[name];
      }
      wrap.setExport(name, value);
    }
    // CommonJS made from an ES module by a tool keeps its default export inside.
    wrap.setExport('default', exports);
    wrap.setExport('module.exports', exports);
  });
  return wrap;
}

function runCommonJs(filename, url, source, loaded) {
  const { Module } = require('#module/cjs');
  if (loaded?.run !== undefined) return loaded.run();
  const cached = Module._cache[filename];
  if (cached !== undefined) return cached.exports;
  if (source !== null && source !== undefined) {
    const module = new Module(filename);
    module.filename = filename;
    module.paths = Module._nodeModulePaths(module.path);
    if (isMain(url)) require('#module/cjs').setMain(module);
    Module._cache[filename] = module;
    if (loaded?.isCustom) module[require('#module/cjs').kHookedUrl] = url;
    try {
      module._compile(text(source, url), filename, 'commonjs');
      module.loaded = true;
    } catch (error) {
      delete Module._cache[filename];
      throw error;
    }
    return module.exports;
  }
  return Module._load(filename, undefined, isMain(url));
}

/** Whether it is the program's entry, which came here because of hooks. */
function isMain(url) {
  return require('#module/esm').mainUrl() === url;
}

/** A .js file that no package says the type of: CommonJS unless its syntax says otherwise. */
function detected(url, source) {
  const { fileURLToPath } = require('url');
  const filename = fileURLToPath(url);
  const content = require('#module/cjs').stripBom(text(source, url));
  const { compileFunction } = binding('module');
  try {
    compileFunction(content, filename, ['exports', 'require', 'module', '__filename', '__dirname'], undefined, 0, 0);
  } catch (error) {
    if (require('#module/detect').isEsmSyntaxError(error, content, filename)) return esmSource(url, content);
  }
  return commonJs(url, content);
}

/** A file's value is the same object for require() and import. */
function json(url, source) {
  const { stripBom, Module } = require('#module/cjs');
  const { fileURLToPath } = require('url');
  const file = url.startsWith('file:') && !/[?#]/.test(url) ? fileURLToPath(url) : undefined;
  const cached = file === undefined ? undefined : Module._cache[file];
  let value;
  try {
    value = cached?.loaded ? cached.exports : JSON.parse(stripBom(text(source, url)));
    if (file !== undefined && cached === undefined) {
      const module = new Module(file);
      Object.assign(module, { filename: file, exports: value, loaded: true });
      Module._cache[file] = module;
    }
  } catch (error) {
    error.message = `${url.startsWith('file:') ? fileURLToPath(url) : url}: ${error.message}`;
    throw error;
  }
  const wrap = new ModuleWrap(url, ['default'], () => wrap.setExport('default', value));
  return wrap;
}

/** Names of builtins can change (module.syncBuiltinESMExports), so their modules are kept. */
const builtinWraps = new Map();

function builtin(url) {
  const id = url.slice(5);
  const exports = loader.requireBuiltin(id);
  const isObject = exports !== null && (typeof exports === 'object' || typeof exports === 'function');
  const names = isObject ? Object.keys(exports).filter((name) => name !== 'default') : [];
  const wrap = new ModuleWrap(url, ['default', ...names], () => syncBuiltin(id));
  builtinWraps.set(id, { wrap, names, exports });
  return wrap;
}

function syncBuiltin(id) {
  const { wrap, names, exports } = builtinWraps.get(id);
  wrap.setExport('default', exports);
  for (const name of names) {
    let value;
    try {
      value = exports[name];
    } catch {
      // A deprecated getter may refuse.
    }
    wrap.setExport(name, value);
  }
}

function syncBuiltinESMExports() {
  for (const id of builtinWraps.keys()) syncBuiltin(id);
}

/** URL -> the exports of an instance as they are: importers among WebAssembly modules get its globals, not their values. */
const wasmExports = new Map();

const isReserved = (name) => name.startsWith('wasm:') || name.startsWith('wasm-js:');

function checkWasmNames(compiled, url) {
  const { LinkError, Module: WasmModule } = WebAssembly;
  for (const { name } of WasmModule.exports(compiled)) {
    if (isReserved(name)) throw new LinkError(`Invalid Wasm export "${name}" in ${url}`);
  }
  for (const { module, name } of WasmModule.imports(compiled)) {
    if (isReserved(module)) throw new LinkError(`Invalid Wasm import "${module}" in ${url}`);
    if (isReserved(name)) throw new LinkError(`Invalid Wasm import name "${name}" in ${url}`);
  }
}

/** An ES module around a WebAssembly module: it imports what that one does, so that all runs in the right order. */
function wasm(url, source) {
  const { Global, Instance, Module: WasmModule } = WebAssembly;
  const compiled = new WasmModule(source, { builtins: ['js-string'], importedStringConstants: 'wasm:js/string-constants' });
  checkWasmNames(compiled, url);
  const imports = WasmModule.imports(compiled);
  const names = WasmModule.exports(compiled).map(({ name }) => name);
  const modules = [...new Set(imports.map(({ module }) => module))];
  const lines = modules.map((name, index) => `import * as $import_${index} from ${JSON.stringify(name)};`);
  lines.push(`const $exports = import.meta.instantiate([${modules.map((name, index) => `$import_${index}`)}]);`);
  names.forEach((name, index) => {
    lines.push(`const $export_${index} = $exports[${JSON.stringify(name)}];`,
               `export { $export_${index} as ${JSON.stringify(name)} };`);
  });
  const wrap = new ModuleWrap(url, lines.join('\n'), undefined);
  wrap.sourcePhase = compiled;
  wrap.instantiateWasm = (namespaces) => {
    require('#internal/util').emitExperimentalWarning('Importing WebAssembly module instances');
    const values = Object.fromEntries(modules.map((name) => [name, {}]));
    for (const { module, name, kind } of imports) {
      const raw = kind === 'global' ? rawExportsOf(module, url)?.[name] : undefined;
      values[module][name] = raw ?? namespaces[modules.indexOf(module)][name];
    }
    const { exports } = new Instance(compiled, values);
    wasmExports.set(url, exports);
    const shown = { __proto__: null };
    for (const name of names) shown[name] = exports[name] instanceof Global ? valueOf(exports[name]) : exports[name];
    return shown;
  };
  return wrap;
}

function rawExportsOf(specifier, url) {
  return wasmExports.get(require('#module/esm_resolve').resolve(specifier, url, {}).url);
}

/** A global's value; undefined where JavaScript has none of its type. */
function valueOf(global) {
  try {
    return global.value;
  } catch {
    return undefined;
  }
}

function typescript(kind) {
  return (url, source) => {
    const { strip } = require('#module/typescript');
    const { fileURLToPath } = require('url');
    const content = source ?? require('#module/cjs').readSource(fileURLToPath(url));
    const stripped = strip(text(content, url), url.startsWith('file:') ? fileURLToPath(url) : url);
    return kind(url, stripped);
  };
}

const byFormat = {
  '__proto__': null,
  'module': esmSource,
  'commonjs': commonJs,
  'detect': detected,
  json,
  builtin,
  wasm,
  'module-typescript': typescript(esmSource),
  'commonjs-typescript': typescript(commonJs),
  'detect-typescript': typescript(detected),
};

module.exports = { byFormat, syncBuiltinESMExports };

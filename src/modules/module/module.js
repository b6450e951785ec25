'use strict';

// node:module

const { Module } = require('#module/cjs');
const loader = require('#runtime/loader');
const { registerHooks } = require('#module/hooks');

Module.builtinModules = Object.freeze([...loader.publicModules,
  ...loader.schemeOnlyModules.map((id) => `node:${id}`)].filter((id) => loaderHas(id)));

/** Only what is really there is listed. */
function loaderHas(id) {
  return binding('realm').builtinExists(id.replace(/^node:/, ''));
}

Module.registerHooks = registerHooks;
Module.register = function register(specifier, parentURL = undefined, options = undefined) {
  require('#module/hooks_thread').register(specifier, parentURL, options);
};
Module.syncBuiltinESMExports = function syncBuiltinESMExports() {
  require('#module/esm_translators').syncBuiltinESMExports();
};
Module.stripTypeScriptTypes = function stripTypeScriptTypes(code, options) {
  require('#internal/util').emitExperimentalWarning('stripTypeScriptTypes');
  return require('#module/typescript').stripTypeScriptTypes(code, options);
};
Module.runMain = function runMain(main = process.argv[1]) {
  Module._load(require('path').resolve(main), null, true);
};
require('#module/cjs').noteRunMain(Module.runMain);
/** What a path is: 0 a file, 1 a directory, negative what is not there. */
Module._stat = function stat(filename) {
  require('#internal/validators').validateString(filename, 'filename');
  return binding('fs').internalModuleStat(filename);
};
Module.findSourceMap = function findSourceMap(path) {
  return loader.isLoaded('#module/source_map_support')
    ? require('#module/source_map_support').findSourceMap(path) : undefined;
};
Module.findPackageJSON = function findPackageJSON(specifier, base) {
  const path = require('path');
  const { fileURLToPath } = require('url');
  const toPath = (value) => (String(value).startsWith('file:') ? fileURLToPath(value) : String(value));
  const { ERR_INVALID_ARG_TYPE, ERR_MISSING_ARGS } = require('#internal/errors').codes;
  if (arguments.length === 0) throw new ERR_MISSING_ARGS('specifier');
  if (base !== undefined && typeof base !== 'string' && !(base instanceof URL)) {
    throw new ERR_INVALID_ARG_TYPE('base', ['string', 'URL'], base);
  }
  const text = String(specifier);
  const packages = require('#module/package_json');
  if (text.startsWith('file:') || text.startsWith('.') || path.isAbsolute(text)) {
    const from = base === undefined ? process.cwd() : path.dirname(toPath(base));
    return packages.scopeOfFile(path.resolve(from, toPath(text)))?.path;
  }
  const { parsePackageName } = require('#module/package_resolve');
  const { name } = parsePackageName(text, base);
  for (const folder of Module._nodeModulePaths(path.dirname(toPath(base)))) {
    const config = packages.read(path.join(folder, name, 'package.json'));
    if (config.exists) return config.path;
  }
  return undefined;
};
Module.constants = Object.freeze({
  __proto__: null,
  compileCacheStatus: Object.freeze({
    __proto__: null, FAILED: 0, ENABLED: 1, ALREADY_ENABLED: 2, DISABLED: 3,
  }),
});
Module.enableCompileCache = function enableCompileCache(options = undefined) {
  const { validateObject, validateString, validateBoolean } = require('#internal/validators');
  let directory = options;
  let portable;
  if (options !== undefined && options !== null && typeof options === 'object') {
    validateObject(options, 'options');
    ({ directory, portable } = options);
  }
  if (directory !== undefined) validateString(directory, 'options.directory');
  if (portable !== undefined) validateBoolean(portable, 'options.portable');
  directory ??= process.env.NODE_COMPILE_CACHE || require('path').join(require('os').tmpdir(), 'node-compile-cache');
  return require('#module/compile_cache').enable(directory, portable ?? process.env.NODE_COMPILE_CACHE_PORTABLE === '1');
};
Module.getCompileCacheDir = function getCompileCacheDir() {
  return loader.isLoaded('#module/compile_cache') ? require('#module/compile_cache').getDirectory() : undefined;
};
Module.flushCompileCache = function flushCompileCache() {
  if (loader.isLoaded('#module/compile_cache')) require('#module/compile_cache').flush();
};
require('#internal/util').defineLazyProperties(Module, '#module/source_map', ['SourceMap']);
/** What stacks are told by: source maps of all modules, or without those of packages and of generated code. */
Module.setSourceMapsSupport = function setSourceMapsSupport(enabled, options = {}) {
  const { validateBoolean, validateObject } = require('#internal/validators');
  validateBoolean(enabled, 'enabled');
  validateObject(options, 'options');
  const { nodeModules = false, generatedCode = false } = options;
  validateBoolean(nodeModules, 'options.nodeModules');
  validateBoolean(generatedCode, 'options.generatedCode');
  require('#module/source_map_support').setSupport(enabled, { nodeModules, generatedCode });
};
Module.getSourceMapsSupport = function getSourceMapsSupport() {
  if (loader.isLoaded('#module/source_map_support')) return require('#module/source_map_support').getSupport();
  return Object.freeze({ __proto__: null, enabled: false, nodeModules: false, generatedCode: false });
};

module.exports = Module;

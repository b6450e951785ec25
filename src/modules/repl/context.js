'use strict';

// The global object of inputs: the program's own, or a fresh one with everything of it that is not the language's.

let languageGlobals;

function isLanguageGlobal(name) {
  languageGlobals ??= new Set(require('vm').runInNewContext('Object.getOwnPropertyNames(globalThis)'));
  return languageGlobals.has(name);
}

function freshContext(server) {
  const vm = require('vm');
  const { Console } = require('console');
  const context = vm.createContext();
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (isLanguageGlobal(name)) continue;
    Object.defineProperty(context, name, {
      __proto__: null, ...Object.getOwnPropertyDescriptor(globalThis, name),
    });
  }
  context.global = context;
  define(context, 'console', new Console(server.output));
  return context;
}

function define(object, name, value) {
  Object.defineProperty(object, name, { __proto__: null, configurable: true, writable: true, value });
}

/** `fs` and its kin as globals, loaded when first touched; what the program assigns stays. */
function addBuiltinModules(context, require_) {
  for (const name of require('module').builtinModules) {
    if (name.startsWith('_') || name.includes('/') || name in context && name !== 'process') continue;
    const set = (value) => {
      delete context[name];
      context[name] = value;
    };
    Object.defineProperty(context, name, {
      __proto__: null,
      configurable: true,
      enumerable: false,
      get() {
        const library = require_(name);
        // An own property from now on.
        delete context[name];
        Object.defineProperty(context, name, {
          __proto__: null, get: () => library, set, configurable: true, enumerable: false,
        });
        return library;
      },
      set,
    });
  }
}

/** @param {object} server a REPLServer */
function createContext(server) {
  const context = server.useGlobal ? globalThis : freshContext(server);
  const { Module } = require('module');
  const module = new Module('<repl>');
  // Modules are looked for from the current directory.
  module.paths = [...Module._nodeModulePaths(process.cwd()), ...require('module').globalPaths];
  define(context, 'module', module);
  const require_ = makeRequire(Module, module);
  define(context, 'require', require_);
  addBuiltinModules(context, require_);
  return context;
}

function makeRequire(Module, module) {
  const require_ = (path) => module.require(path);
  Object.defineProperty(require_, 'name', { __proto__: null, value: 'require' });
  require_.resolve = (request, options) => Module._resolveFilename(request, module, false, options);
  require_.resolve.paths = (request) => Module._resolveLookupPaths(request, module);
  require_.main = process.mainModule;
  require_.extensions = Module._extensions;
  require_.cache = Module._cache;
  return require_;
}

module.exports = { createContext };

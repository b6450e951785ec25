'use strict';

// What the command line asks for: a file, a source (--eval), standard input, or only a check of the syntax.

const options = require('#runtime/options');
const { getOptionValue } = options;

function preload() {
  const { Module } = require('#module/cjs');
  Module._initPaths();
  if (getOptionValue('--experimental-loader') ?? getOptionValue('--loader')) {
    if (options.all().isMainThread) require('#module/hooks_thread').registerFromCommandLine();
  }
  const requests = getOptionValue('--require');
  if (requests?.length) {
    process._preload_modules = requests;
    Module._preloadModules(requests);
  }
}

function loadEnvFiles() {
  const { readFileSync } = require('fs');
  for (const [name, optional] of [['--env-file', false], ['--env-file-if-exists', true]]) {
    for (const file of getOptionValue(name) ?? []) {
      let text;
      try {
        text = readFileSync(file, 'utf8');
      } catch {
        if (optional) continue;
        process._rawDebug(`${process.execPath}: ${file}: not found`);
        process.reallyExit(9);
      }
      for (const [key, value] of Object.entries(require('util').parseEnv(text))) process.env[key] ??= value;
    }
  }
}

function start() {
  const script = getOptionValue('--run');
  if (script !== undefined) {
    require('#module/run_script').main(script, options.all().args);
    return;
  }
  if ((getOptionValue('--watch') || getOptionValue('--watch-path')?.length) && !getOptionValue('--test')) {
    require('#watch/watch').main(options.all().args);
    return;
  }
  if (process.env.WATCH_REPORT_DEPENDENCIES) {
    // Not for the children of this child.
    delete process.env.WATCH_REPORT_DEPENDENCIES;
    require('#watch/reporter');
  }
  loadEnvFiles();
  if (process.env.NODE_COMPILE_CACHE) require('#module/compile_cache').startFromEnvironment();
  const { args, forceStdin } = options.all();
  const source = getOptionValue('--eval');
  if (getOptionValue('--test')) {
    require('#test/cli').main(args);
    return;
  }
  if (args[0] === 'serve' && source === undefined) {
    preload();
    afterImports(() => require('#serve/serve').main(args.slice(1)));
  } else if (args[0] === 'inspect' && source === undefined) {
    process._rawDebug(`${process.argv0}: inspect: there is no debugger for the command line; use --inspect-brk and a tool that ` +
      'speaks the inspector protocol (a browser, an editor)');
    process.reallyExit(9);
  } else if (args[0] === 'version' && args.length === 1 && source === undefined) {
    require('#runtime/version').print();
  } else if (source !== undefined) {
    process._eval = source;
    preload();
    afterImports(() => {
      evaluate(source, '[eval]');
      if (getOptionValue('--interactive')) require('#repl/cli').start();
    });
  } else if (args.length === 0 || forceStdin) {
    preload();
    fromStdin(forceStdin);
  } else if (getOptionValue('--check')) {
    check(args[0]);
  } else {
    runFile(args[0]);
  }
}

/** --import modules run first. */
function afterImports(next) {
  const imports = getOptionValue('--import') ?? [];
  if (imports.length === 0) {
    next();
    return;
  }
  const { triggerUncaughtException } = require('#process/task_queues');
  require('#module/esm').importAll(imports).then(next).catch((error) => triggerUncaughtException(error, false));
}

function resolveMain(file) {
  const path = require('path');
  const { Module } = require('#module/cjs');
  const absolute = path.resolve(file);
  return Module._findPath(absolute, null, true) || absolute;
}

function runFile(file) {
  if (getOptionValue('--entry-url') && URL.canParse(file)) {
    preload();
    require('#module/esm').runMain(file, undefined, getOptionValue('--import') ?? []);
    return;
  }
  const resolved = resolveMain(file);
  process.argv[1] = resolved;
  preload();
  if (options.all().isMainThread && getOptionValue('--input-type') !== undefined) {
    const { codes: { ERR_INPUT_TYPE_NOT_ALLOWED } } = require('#internal/errors');
    throw new ERR_INPUT_TYPE_NOT_ALLOWED();
  }
  const imports = getOptionValue('--import') ?? [];
  const hooked = require('#module/hooks').areThere();
  if (isEsm(resolved) || imports.length > 0 || hooked) {
    const { pathToFileURL } = require('url');
    const url = pathToFileURL(resolved).href;
    if (hooked) {
      require('#module/esm').runMain(url, undefined, imports);
      return;
    }
    if (require('fs').existsSync(resolved)) {
      const { formatOf } = require('#module/esm_resolve');
      const format = formatOf(new URL(url));
      if (format === 'module' || format === 'module-typescript' || format === 'wasm') {
        require('#module/esm').runMain(url, format, imports);
        return;
      }
    }
    afterImports(() => {
      // What was imported may have registered hooks, which see the program too.
      if (require('#module/hooks').areThere()) require('#module/esm').runMain(url, undefined, []);
      else runCommonJs(resolved);
    });
    return;
  }
  runCommonJs(resolved);
}

/** By Module.runMain, which programs may have replaced. */
function runCommonJs(file) {
  const { Module, ownRunMain } = require('#module/cjs');
  if (Module.runMain !== undefined && Module.runMain !== ownRunMain()) Module.runMain(file);
  else Module._load(file, null, true);
}

function isEsm(file) {
  if (file.endsWith('.mjs') || file.endsWith('.mts') || file.endsWith('.wasm')) return true;
  if (file.endsWith('.cjs') || file.endsWith('.cts')) return false;
  return require('#module/package_json').scopeOfFile(file)?.type === 'module';
}

/** Where code without a file stands: the working directory, or where the program lies if that was deleted. */
function startDirectory() {
  try {
    return process.cwd();
  } catch {
    return require('path').dirname(process.execPath);
  }
}

/** --eval: a script with require, module and the builtins at hand; or an ES module. */
function evaluate(source, name) {
  const print = getOptionValue('--print');
  const type = getOptionValue('--input-type');
  const { Module } = require('#module/cjs');
  const path = require('path');
  if (type === 'module' || type === 'module-typescript') {
    runModule(type === 'module' ? source : require('#module/typescript').strip(source), name);
    return;
  }
  if (type === 'commonjs-typescript') source = require('#module/typescript').strip(source);
  const module = new Module(name);
  const directory = startDirectory();
  module.filename = path.join(directory, name);
  module.paths = Module._nodeModulePaths(directory);
  const { makeRequire } = require('#module/cjs');
  const here = { module, exports: module.exports, require: makeRequire(module), __filename: name, __dirname: '.' };
  for (const key of Object.keys(here)) {
    Object.defineProperty(globalThis, key, {
      __proto__: null, value: here[key], writable: true, enumerable: true, configurable: true,
    });
  }
  exposeBuiltins();
  let result;
  try {
    const { runScript } = binding('module');
    const { isLoaded } = require('#runtime/loader');
    // --inspect-brk stops at its first statement.
    result = isLoaded('#inspector/remote')
      ? require('#inspector/remote').callMain(runScript, undefined, [source, name, undefined])
      : runScript(source, name, undefined);
  } catch (error) {
    if (type === undefined && error?.name === 'SyntaxError' && evaluateTypescript(source, name, error)) return;
    if (type === 'commonjs' || print || !require('#module/detect').isEsmSyntaxError(error, source, name)) throw error;
    runModuleOrTypescript(source, name);
    return;
  }
  if (print) printResult(result);
}

/** A promise gets a turn to settle before it is shown. */
function printResult(result) {
  const { log } = require('console');
  if (!require('util').types.isPromise(result)) {
    log(result);
    return;
  }
  const show = () => {
    process.removeListener('exit', show);
    log(result);
  };
  process.once('exit', show);
  result.then(show, show);
}

/** What is no JavaScript may be TypeScript. @returns {boolean} whether it was, and has run */
function evaluateTypescript(source, name, error) {
  if (!getOptionValue('--strip-types') || require('#module/detect').isEsmSyntaxError(error, source, name)) {
    return false;
  }
  let stripped;
  try {
    stripped = require('#module/typescript').strip(source);
  } catch (failure) {
    // Its author hears of TypeScript only where that is what it is.
    if (failure?.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return false;
    throw failure;
  }
  if (stripped === source) return false;
  evaluate(stripped, name);
  return true;
}

function runModuleOrTypescript(source, name) {
  try {
    new (binding('module').ModuleWrap)('check', source, undefined);
  } catch {
    try {
      source = require('#module/typescript').strip(source);
    } catch {
      // Then the first error tells more.
    }
  }
  runModule(source, name);
}

function runModule(source, name) {
  const { pathToFileURL } = require('url');
  require('#module/esm').runSource(source, `${pathToFileURL(`${startDirectory()}/`).href}[eval1]`);
}

/** In --eval, builtins can be named without require. */
function exposeBuiltins() {
  const loader = require('#runtime/loader');
  for (const id of loader.publicModules) {
    // The name of the Web Crypto API stands for node:crypto here.
    if (id.startsWith('_') || id.includes('/') || (id !== 'crypto' && Object.hasOwn(globalThis, id))) continue;
    const set = (value) => {
      Object.defineProperty(globalThis, id, {
        __proto__: null, value, writable: true, enumerable: false, configurable: true,
      });
    };
    Object.defineProperty(globalThis, id, {
      __proto__: null,
      get() {
        const value = loader.requireBuiltin(id);
        set(value);
        return value;
      },
      set,
      enumerable: false,
      configurable: true,
    });
  }
}

function fromStdin(forced) {
  if (!forced && (getOptionValue('--interactive') || require('tty').isatty(0))) {
    require('#repl/cli').start();
    return;
  }
  const parts = [];
  process.stdin.on('data', (part) => parts.push(part)).on('end', () => {
    const source = Buffer.concat(parts.map((part) => Buffer.from(part))).toString();
    if (getOptionValue('--check')) checkSource(source, '[stdin]', false);
    else afterImports(() => evaluate(source, '[stdin]'));
  });
}

function check(file) {
  const { Module, readSource, stripBom } = require('#module/cjs');
  const resolved = resolveMain(file);
  process.argv[1] = resolved;
  if (!require('fs').existsSync(resolved)) Module._resolveFilename(resolved, null, true);
  checkSource(stripBom(readSource(resolved)), resolved, isEsm(resolved));
}

function checkSource(source, name, asModule) {
  const { ModuleWrap, compileFunction } = binding('module');
  const { pathToFileURL } = require('url');
  if (asModule || getOptionValue('--input-type') === 'module') {
    new ModuleWrap(pathToFileURL(name).href, source, undefined);
    return;
  }
  source = source.replace(/^#!.*/, '');
  try {
    compileFunction(source, name, ['exports', 'require', 'module', '__filename', '__dirname'], undefined, 0, 0);
  } catch (error) {
    if (!require('#module/detect').isEsmSyntaxError(error, source, name)) throw error;
    new ModuleWrap(pathToFileURL(name).href, source, undefined);
  }
}

/** A worker's entry: a file or a data: URL. */
function runEntry({ file, url }) {
  if (url !== undefined) {
    preload();
    require('#module/esm').runMain(url, undefined, getOptionValue('--import') ?? []);
    return;
  }
  runFile(file);
}

/** A worker's source: `new Worker(source, { eval: true })`. */
function runSourceInWorker(source) {
  preload();
  afterImports(() => evaluate(source, '[worker eval]'));
}

module.exports = { start, runEntry, runSourceInWorker, parts: { preload, resolveMain, runCommonJs, isEsm } };

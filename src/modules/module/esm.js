'use strict';

// ES modules: resolution, loading, linking and running, by Node's documentation (Modules: ECMAScript modules). A graph is
// read and linked without leaving the thread; only its running may await.

const {
  ModuleWrap, kInstantiated, kEvaluated, kEvaluating, kErrored, kUninstantiated, arrowOf,
} = binding('module');
const {
  codes: {
    ERR_REQUIRE_ASYNC_MODULE, ERR_REQUIRE_CYCLE_MODULE, ERR_UNKNOWN_MODULE_FORMAT, ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING,
  },
} = require('#internal/errors');
const { setHook } = binding('realm');
const { resolve, defaultResolve } = require('#module/esm_resolve');
const { load } = require('#module/esm_load');
const translators = require('#module/esm_translators');

/** @typedef {{ url: string, format: string, wrap: any, isMain?: boolean, linked: boolean, jobs: Job[], evaluation?: Promise<unknown> }} Job */

/** url + type attribute -> job. @type {Map<string, Job>} */
const jobs = new Map();
/** ModuleWrap -> job, for import.meta. */
const jobOf = new WeakMap();
/** Symbol of a script or function with a dynamic import of its own (vm); the script keeps it. @type {WeakMap<symbol, Function>} */
const importers = new WeakMap();

function keyOf(url, attributes) {
  return attributes?.type ? `${url}\x00${attributes.type}` : url;
}

/** node:test's mocks, once there is one: (url, attributes) -> Job or undefined. */
let mocks;
function setMocks(find) {
  mocks = find;
}

/** The module of a URL: made when first asked for, its whole graph linked but not instantiated. */
function jobFor(url, format, attributes, parentUrl, source) {
  const mock = mocks?.(url, attributes);
  if (mock !== undefined) return mock;
  const key = keyOf(url, attributes);
  const known = jobs.get(key);
  if (known !== undefined) return known;
  if (require('#runtime/loader').isLoaded('#watch/reporter')) require('#watch/reporter').report(url);
  const loaded = source === undefined ? load(url, { format, importAttributes: attributes ?? {} }) :
    { source, format: format ?? 'module' };
  const translate = translators.byFormat[loaded.format];
  if (translate === undefined) throw new ERR_UNKNOWN_MODULE_FORMAT(loaded.format, url);
  const wrap = translate(url, loaded.source, loaded);
  const job = { url, format: loaded.format, wrap, linked: false, jobs: [] };
  jobs.set(key, job);
  jobOf.set(wrap, job);
  return job;
}

/** A CommonJS module that is just being loaded, and requires what imports it, has no exports to give. */
function refuseCycle(url, specifier, parentUrl) {
  const { fileURLToPath } = require('url');
  if (!url.startsWith('file:') || jobs.has(url)) return;
  const cached = require('#module/cjs').Module._cache[fileURLToPath(url.replace(/[?#].*$/s, ''))];
  if (cached === undefined || cached.loaded !== false || cached[require('#module/cjs').kLoading] !== true) return;
  throw new ERR_REQUIRE_CYCLE_MODULE(`Cannot import CommonJS Module ${specifier} in a cycle.` +
    ` (from ${parentUrl.startsWith('file:') ? fileURLToPath(parentUrl) : parentUrl})`);
}

/** Loads what `job` imports, and what these import. A failure leaves nothing half made behind. */
function link(job) {
  if (job.linked) return;
  job.linked = true;
  try {
    const requests = job.wrap.getModuleRequests();
    const wraps = [];
    for (const { specifier, attributes, phase } of requests) {
      const { url, format, importAttributes } = resolve(specifier, job.url, attributes);
      if (phase === 'source') {
        // Its imports are nobody's business: it is not run.
        wraps.push(jobFor(url, format, importAttributes ?? attributes, job.url).wrap);
        continue;
      }
      if (format === 'commonjs') refuseCycle(url, specifier, job.url);
      const child = jobFor(url, format, importAttributes ?? attributes, job.url);
      job.jobs.push(child);
      wraps.push(child.wrap);
    }
    job.wrap.link(wraps);
    for (const child of job.jobs) link(child);
  } catch (error) {
    job.linked = false;
    for (const [key, other] of jobs) if (other === job) jobs.delete(key);
    throw error;
  }
}

/** A missing export of a CommonJS module gets the advice that Node gives. */
function explainLinkError(error, job) {
  const match = /^The requested module '(.+)' does not provide an export named '(.+)'$/.exec(error?.message ?? '');
  const arrow = arrowOf(error);
  if (match !== null) {
    const [, specifier, name] = match;
    for (const candidate of allJobs(job)) {
      const request = candidate.wrap.getModuleRequests().find((entry) => entry.specifier === specifier);
      if (request === undefined) continue;
      let child;
      try {
        child = jobs.get(keyOf(defaultResolve(specifier, { parentURL: candidate.url }).url));
      } catch {
        continue;
      }
      if (child?.format === 'commonjs') {
        error.message = `Named export '${name}' not found. The requested module '${specifier}' is a CommonJS module, which ` +
          'may not support all module.exports as named exports.\nCommonJS modules can always be imported via the default ' +
          `export, for example using:\n\nimport pkg from '${specifier}';\nconst { ${name} } = pkg;\n`;
        break;
      }
    }
  }
  if (typeof arrow === 'string' && arrow !== '') require('#process/fatal').noteArrow?.(error, arrow);
  return error;
}

function allJobs(job, seen = new Set()) {
  if (seen.has(job)) return seen;
  seen.add(job);
  for (const child of job.jobs) allJobs(child, seen);
  return seen;
}

function instantiate(job) {
  link(job);
  if (job.wrap.getStatus() > kUninstantiated) {
    if (job.wrap.getStatus() === kErrored) throw job.wrap.getError();
    return;
  }
  try {
    job.wrap.instantiate();
  } catch (error) {
    throw explainLinkError(error, job);
  }
}

/** @returns {Promise<unknown>} settled when the module and its graph have run */
function evaluate(job) {
  instantiate(job);
  if (job.evaluation === undefined) {
    // It runs at this very moment and imports itself: there is a result once its synchronous part is over.
    if (job.wrap.getStatus() === kEvaluating) return Promise.resolve().then(() => evaluate(job));
    // --inspect-brk stops at the program's first statement.
    job.evaluation = require('#runtime/loader').isLoaded('#inspector/remote')
      ? require('#inspector/remote').callMain(job.wrap.evaluate, job.wrap, [])
      : job.wrap.evaluate();
  }
  return job.evaluation;
}

/** Runs a module whose graph somebody else has linked. */
function evaluateLinked(job) {
  if (job.wrap.getStatus() === kUninstantiated) job.wrap.instantiate();
  if (job.wrap.getStatus() === kErrored) throw job.wrap.getError();
  return (job.evaluation ??= job.wrap.evaluate());
}

/** On the hooks' thread another loader takes over, see hooks_worker.js. */
let asyncLoader;
function setAsyncLoader(loader) {
  asyncLoader = loader;
}

async function importUrl(url, format, attributes, parentUrl) {
  const job = jobFor(url, format, attributes, parentUrl);
  try {
    await evaluate(job);
  } catch (error) {
    throw explainGlobal(error, job);
  }
  return job.wrap.getNamespace();
}

const cjsGlobals = ['require', 'exports', 'module', '__filename', '__dirname'];

/** Names of CommonJS in an ES module: says what to do about it. */
function explainGlobal(error, job) {
  if (error === null || typeof error !== 'object' || error.name !== 'ReferenceError') return error;
  const [, name] = /^(\w+) is not defined$/.exec(error.message) ?? [];
  if (!cjsGlobals.includes(name)) return error;
  let message = `${error.message} in ES module scope${name === 'require' ? ', you can use import instead' : ''}`;
  const [file] = job.url.split(/[?#]/, 1);
  if (file.startsWith('file:') && file.endsWith('.js')) {
    const { fileURLToPath } = require('url');
    const config = require('#module/package_json').scopeOfFile(fileURLToPath(file));
    if (config?.type === 'module') {
      message += '\nThis file is being treated as an ES module because it has a \'.js\' file extension and ' +
        `'${config.path}' contains "type": "module". To treat it as a CommonJS script, rename it to use the '.cjs' file extension.`;
    }
  }
  const { stack } = error;
  error.message = message;
  if (typeof stack === 'string') error.stack = stack.replace(/^.*/, `ReferenceError: ${message}`);
  return error;
}

/** import(specifier) and everything that behaves like it. */
async function importModule(specifier, parentUrl, attributes) {
  if (asyncLoader !== undefined) return asyncLoader(specifier, parentUrl, attributes ?? {});
  specifier = `${specifier}`;
  // Whoever asks goes on first: nothing of the module runs before the present code is through.
  await undefined;
  await undefined;
  try {
    const resolved = resolve(specifier, parentUrl, attributes ?? {});
    return await importUrl(resolved.url, resolved.format, resolved.importAttributes ?? attributes, parentUrl);
  } catch (error) {
    // Hooks that never settle: neither does what asked for them.
    if (error?.code === 'ERR_ASYNC_LOADER_REQUEST_NEVER_SETTLED') return new Promise(() => {});
    throw error;
  }
}

/** import.source(): what a module is made of, without running it. Modules of node:vm have no such thing. */
async function importSource(specifier, parentUrl, attributes) {
  specifier = `${specifier}`;
  await undefined;
  let name = specifier;
  if (parentUrl !== undefined) {
    const { url, format, importAttributes } = resolve(specifier, parentUrl, attributes ?? {});
    const { sourcePhase } = jobFor(url, format, importAttributes ?? attributes, parentUrl).wrap;
    if (sourcePhase !== undefined) return sourcePhase;
    name = url;
  }
  throw new SyntaxError(`Source phase import object is not defined for module '${name}'`);
}

function parentOf(name) {
  if (typeof name !== 'string') return undefined;
  if (name.startsWith('/')) return require('url').pathToFileURL(name).href;
  if (URL.canParse(name)) return name;
  return require('url').pathToFileURL(`${process.cwd()}/`).href;
}

/** Hook::kImportDynamically */
function importDynamically(id, specifier, attributes, referrer, isSource) {
  if (isSource) return importSource(specifier, typeof id === 'symbol' ? undefined : parentOf(referrer), attributes);
  if (typeof id === 'symbol') {
    const importer = importers.get(id);
    if (importer === undefined) throw new ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING();
    return Promise.resolve(importer(specifier, attributes, referrer));
  }
  // Code that no script stands behind: eval() as a promise's reaction.
  if (id === undefined && (referrer === undefined || referrer === null)) throw new ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING();
  const parentURL = parentOf(referrer);
  const channel = require('#internal/diagnostics').tracing('module.import');
  if (channel === undefined) return importModule(specifier, parentURL, attributes);
  return channel.tracePromise(importModule, { __proto__: null, parentURL, url: `${specifier}` }, undefined, specifier,
    parentURL, attributes);
}

/** Hook::kImportMeta */
function initializeImportMeta(wrap, meta) {
  const job = jobOf.get(wrap);
  if (job === undefined) {
    wrap.initializeImportMeta?.(meta, wrap);
    return;
  }
  if (job.url.startsWith('file:')) {
    const { fileURLToPath } = require('url');
    const path = require('path');
    const filename = fileURLToPath(job.url);
    meta.dirname = path.dirname(filename);
    meta.filename = filename;
  }
  meta.main = job.isMain === true;
  meta.resolve = function resolve(specifier, parent) {
    const useParent = require('#runtime/options').getOptionValue('--experimental-import-meta-resolve') && parent !== undefined;
    try {
      if (useParent && typeof parent !== 'string' && !(parent instanceof URL)) {
        const { codes: { ERR_INVALID_ARG_TYPE } } = require('#internal/errors');
        throw new ERR_INVALID_ARG_TYPE('parentURL', ['string', 'URL'], parent);
      }
      if (useParent && URL.parse(parent)?.protocol.startsWith('http')) {
        const { codes: { ERR_INVALID_URL_SCHEME } } = require('#internal/errors');
        throw new ERR_INVALID_URL_SCHEME('file');
      }
      return resolveForMeta(`${specifier}`, useParent ? new URL(parent).href : job.url);
    } catch (error) {
      if (error?.code === 'ERR_UNSUPPORTED_DIR_IMPORT' && error.url) return error.url;
      throw error;
    }
  };
  meta.url = job.url;
  // The facade of a WebAssembly module, see esm_translators.js.
  if (wrap.instantiateWasm !== undefined) meta.instantiate = wrap.instantiateWasm;
}

/** Like resolve, but a file need not be there. */
function resolveForMeta(specifier, parentUrl) {
  try {
    return resolve(specifier, parentUrl, {}, true).url;
  } catch (error) {
    const fine = error?.code === 'ERR_MODULE_NOT_FOUND' || error?.code === 'ERR_UNSUPPORTED_DIR_IMPORT';
    if (fine && typeof error.url === 'string') return error.url;
    if (error?.code === 'ERR_UNSUPPORTED_ESM_URL_SCHEME') return new URL(specifier).href;
    throw error;
  }
}

/** A graph that is required must not need a module that is just running. */
function refuseEvaluating(root) {
  for (const job of allJobs(root)) {
    const index = job.jobs.findIndex((child) => child.wrap.getStatus() === kEvaluating);
    if (index === -1 || job.wrap.getStatus() > kEvaluating) continue;
    const { specifier } = job.wrap.getModuleRequests().filter(({ phase }) => phase !== 'source')[index];
    const from = job.url.startsWith('file:') ? require('url').fileURLToPath(job.url) : job.url;
    throw new ERR_REQUIRE_CYCLE_MODULE(`Cannot import Module ${specifier} in a cycle. (from ${from})`);
  }
}

/** require() of an ES module, see cjs.js. Fills module.exports. */
function requireEsm(module, filename, source, isMain) {
  const { pathToFileURL } = require('url');
  const url = pathToFileURL(filename).href;
  const job = jobFor(url, 'module', undefined, undefined, jobs.has(url) ? undefined : source);
  if (isMain) {
    job.isMain = true;
    return runMainJob(job);
  }
  link(job);
  if (job.wrap.getStatus() === kEvaluating) {
    const parent = module[require('#module/cjs').kParent]?.filename;
    throw new ERR_REQUIRE_CYCLE_MODULE(`Cannot require() ES Module ${filename} in a cycle.` +
      `${parent ? ` (from ${parent})` : ''}`);
  }
  refuseEvaluating(job);
  instantiate(job);
  if (job.wrap.getStatus() < kEvaluated && job.wrap.isGraphAsync()) {
    throw new ERR_REQUIRE_ASYNC_MODULE(filename, module[require('#module/cjs').kParent]?.filename);
  }
  const promise = evaluate(job);
  if (job.wrap.getStatus() === kErrored) {
    promise.catch(() => {});
    throw job.wrap.getError();
  }
  if (job.wrap.isGraphAsync()) {
    throw new ERR_REQUIRE_ASYNC_MODULE(filename, module[require('#module/cjs').kParent]?.filename);
  }
  const namespace = job.wrap.getNamespace();
  if (Object.hasOwn(namespace, 'module.exports')) {
    module.exports = namespace['module.exports'];
  } else if (Object.hasOwn(namespace, 'default') && !Object.hasOwn(namespace, '__esModule')) {
    module.exports = withEsModuleMark(url, namespace);
  } else {
    module.exports = namespace;
  }
  return undefined;
}

/** require() in a CommonJS module whose source came from hooks: they see what it asks for, as if it were imported. */
function requireHooked(specifier, parentURL) {
  const { url, format } = resolve(specifier, parentURL, {});
  if (url.startsWith('node:') && format === 'builtin') return require('#runtime/loader').requireBuiltin(url.slice(5));
  const attributes = format === 'json' ? { type: 'json' } : {};
  const job = jobFor(url, format, attributes, parentURL);
  if (job.wrap.getStatus() === kEvaluating) return job.partialExports?.() ?? job.wrap.getNamespace();
  const promise = evaluate(job);
  if (job.wrap.getStatus() === kErrored) {
    promise.catch(() => {});
    throw job.wrap.getError();
  }
  const namespace = job.wrap.getNamespace();
  if (Object.hasOwn(namespace, 'module.exports')) return namespace['module.exports'];
  return job.format === 'json' ? namespace.default : namespace;
}

/** So that transpiled code finds the default export: a namespace that re-exports all and has __esModule. */
function withEsModuleMark(url, namespace) {
  const wrap = new ModuleWrap(`${url}?with-esModule`,
    'export * from "original"; export { default } from "original"; export const __esModule = true;');
  wrap.link(wrap.getModuleRequests().map(() => jobs.get(url).wrap));
  wrap.instantiate();
  wrap.evaluate();
  return wrap.getNamespace() ?? namespace;
}

let mainEvaluation;

function runMainJob(job) {
  job.isMain = true;
  mainEvaluation = job;
  const settled = evaluate(job);
  settled.then(() => { job.settled = true; }, (error) => {
    job.settled = true;
    explainGlobal(error, job);
    require('#process/task_queues').triggerUncaughtException(error, true);
  });
  return settled;
}

/** Runs the program's entry. Never throws: what goes wrong goes where uncaught exceptions go. */
function runMain(url, format, preload = []) {
  const first = preload.length > 0 ? importAll(preload) : undefined;
  const run = () => {
    try {
      if (require('#module/hooks').areThere()) {
        const { importAttributes, ...resolved } = resolve(url, undefined, {});
        runMainJob(jobFor(resolved.url, resolved.format, importAttributes));
      } else {
        runMainJob(jobFor(url, format));
      }
    } catch (error) {
      if (error?.code === 'ERR_ASYNC_LOADER_REQUEST_NEVER_SETTLED') process.exit(13);
      require('#process/task_queues').triggerUncaughtException(error, false);
    }
  };
  // The entry runs as a microtask, so that what it queues by nextTick waits for its microtasks, as with Node.
  if (first === undefined) binding('task_queue').enqueueMicrotask(run);
  else first.then(run, (error) => require('#process/task_queues').triggerUncaughtException(error, false));
}

async function importAll(specifiers) {
  const { pathToFileURL } = require('url');
  const parent = pathToFileURL(`${process.cwd()}/`).href;
  for (const specifier of specifiers) await importModule(specifier, parent, {});
}

/** Where the main module's top-level await waits for ever, when nothing is left to wait for; undefined if it does not. */
function stalledAwait() {
  if (mainEvaluation === undefined || mainEvaluation.settled) return undefined;
  const status = mainEvaluation.wrap.getStatus();
  if (status < kInstantiated || status === kErrored) return undefined;
  return mainEvaluation.wrap.stalledAwait();
}

/** A module from source, for --eval and the like. */
function runSource(source, url, isMain = true) {
  const wrap = new ModuleWrap(url, source, undefined);
  const job = { url, format: 'module', wrap, linked: false, jobs: [] };
  jobs.set(url, job);
  jobOf.set(wrap, job);
  if (isMain) return runMainJob(job);
  return evaluate(job);
}

setHook('importDynamically', importDynamically);
setHook('importMeta', initializeImportMeta);

const mainUrl = () => mainEvaluation?.url;

module.exports = {
  mainUrl,
  importModule, importUrl, importAll, requireEsm, runMain, runSource, stalledAwait, importers, jobOf, jobs,
  evaluateLinked, setAsyncLoader, setMocks, requireHooked,
};

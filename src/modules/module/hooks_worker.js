'use strict';

// The hooks' thread: answers what other threads ask (hooks_thread.js). It loads modules of hooks by the hooks that were
// registered before them; unlike everywhere else that loader may wait between any two steps.

const chain = require('#module/hooks_chain');
const state = require('#worker_threads/state');
const { byFormat } = require('#module/esm_translators');

/** Requests under way: what they are answered with. */
const pending = new Set();
/** @type {Map<string, Promise<object>>} */
const jobs = new Map();

// --- the loader of this thread ---

/** A module and what it imports, read and linked. */
async function jobFor(specifier, parentURL, importAttributes = {}) {
  const resolved = await chain.resolve(specifier, contextOf(parentURL, importAttributes));
  const attributes = resolved.importAttributes ?? importAttributes;
  const key = `${resolved.url}\x00${attributes.type ?? ''}`;
  let job = jobs.get(key);
  if (job === undefined) {
    job = makeJob(resolved, attributes);
    jobs.set(key, job);
  }
  return job;
}

async function makeJob({ url, format }, importAttributes) {
  const loaded = await chain.load(url, { format, importAttributes, conditions: conditions() });
  const translate = byFormat[loaded.format];
  if (translate === undefined) {
    const { codes: { ERR_UNKNOWN_MODULE_FORMAT } } = require('#internal/errors');
    throw new ERR_UNKNOWN_MODULE_FORMAT(loaded.format, url);
  }
  const wrap = translate(url, loaded.source, loaded);
  const job = { url, format: loaded.format, wrap, linked: true, jobs: [] };
  require('#module/esm').jobOf.set(wrap, job);
  return job;
}

async function link(job, seen = new Set()) {
  if (seen.has(job) || job.isWhole) return;
  seen.add(job);
  const children = await Promise.all(job.wrap.getModuleRequests().map(
    ({ specifier, attributes }) => jobFor(specifier, job.url, attributes)));
  if (job.isWhole) return;
  job.wrap.link(children.map((child) => child.wrap));
  job.jobs = children;
  for (const child of children) await link(child, seen);
  job.isWhole = true;
}

async function importHooked(specifier, parentURL, attributes) {
  const job = await jobFor(`${specifier}`, parentURL, attributes);
  await link(job);
  const esm = require('#module/esm');
  await esm.evaluateLinked(job);
  return job.wrap.getNamespace();
}

// --- what others ask ---

const conditions = () => [...require('#module/package_resolve').importConditions()];
const contextOf = (parentURL, importAttributes) => ({ conditions: conditions(), importAttributes, parentURL });

async function register(specifier, parentURL, data) {
  const hooks = await importHooked(specifier, parentURL, {});
  const { initialize } = hooks;
  const { url } = await jobFor(specifier, parentURL, {});
  if (typeof initialize === 'function') await initialize(data);
  chain.add(url, hooks);
}

const methods = {
  register,
  resolve: (specifier, context) => chain.resolve(specifier, context),
  load: (url, context) => chain.load(url, { ...context, conditions: conditions() }),
  attach: (port, lock) => listen(port, lock),
};

/** The last of the chain: the loader's own, with a format that programs know. */
async function defaultResolve(specifier, context) {
  const result = require('#module/esm_resolve').defaultResolve(specifier, context);
  const format = result.format?.startsWith('detect') ? undefined : result.format;
  return { ...result, format };
}

async function defaultLoad(url, context) {
  return require('#module/esm_load').loadForHooks(url, context);
}

function describe(error) {
  const { ownProperties } = require('#worker_threads/main');
  return { failed: true, error, properties: ownProperties(error) };
}

function listen(port, lock) {
  const answer = (message) => {
    try {
      port.postMessage(message);
    } catch {
      const { inspect } = require('util');
      port.postMessage({ failed: true, text: message.failed ? inspect(message.error) : 'What a hook returned cannot be cloned' });
    }
    Atomics.add(lock, 0, 1);
    Atomics.notify(lock, 0);
  };
  port.on('message', ({ method, args }) => {
    const done = (message) => {
      if (!pending.delete(done)) return;
      port.ref();
      answer(message);
    };
    pending.add(done);
    // While it waits for hooks, only they keep the thread alive: if nothing is left to wait for, they never settle.
    port.unref();
    Promise.resolve().then(() => methods[method](...args)).then((result) => done({ result }), (error) => done(describe(error)));
  });
}

function start() {
  const { port, lock } = state.workerData;
  state.workerData = undefined;
  state.isInternal = true;
  state.parentPort = null;
  chain.setDefaults(defaultResolve, defaultLoad);
  require('#module/esm').setAsyncLoader(importHooked);
  // register() on this very thread: its hooks join as soon as they are loaded.
  state.registerHooks = (specifier, parentURL, data) => {
    register(specifier, parentURL, data).catch((error) => require('#process/task_queues').triggerUncaughtException(error, true));
  };
  const fail = (message) => {
    for (const done of [...pending]) done(message);
  };
  process.on('beforeExit', () => fail({ stalled: true }));
  state.onExit = (code) => fail({ exit: Number(code ?? 0) });
  state.onFatal = (error) => fail(describe(error));
  listen(port, lock);
}

module.exports = { start };

'use strict';

// What happens when a program starts, in the realm that the snapshot gave: the process object learns about this process,
// then the entry point runs. And what happens when it ends.

const options = require('#runtime/options');

function prepare(target = process, global = globalThis) {
  const { refresh } = require('#process/setup');
  refresh(target);
  const limit = options.all().values['--stack-trace-limit'];
  if (limit !== undefined) Error.stackTraceLimit = Number(limit) || 0;
  require('#web/globals').applyOptions(global);
  if (options.all().values['--use-env-proxy'] && target === process) require('#http/proxy').setUp();
}

/** Coverage and profiles of the whole run, if they are asked for. */
function startTools() {
  const { values } = options.all();
  if (process.env.NODE_V8_COVERAGE || values['--cpu-prof'] || values['--heap-prof'] ||
      values['--heapsnapshot-signal']) {
    require('#inspector/tools').start();
  }
}

/**
 * Hook::kMain on the main thread; a worker has its own in the worker_threads room. The arguments are others only when the
 * start is rehearsed for the snapshot.
 */
function main(target = process, global = globalThis) {
  prepare(target, global);
  const { values } = options.all();
  if (values['--trace-event-categories'] !== undefined || values['--trace-events-enabled']) {
    require('#trace_events/tracing').startFromCommandLine();
  }
  if (!options.all().isMainThread) {
    require('#worker_threads/main').start();
    return;
  }
  if (values['--allow-fs-read'] || values['--allow-fs-write']) {
    const { codes: { ERR_MISSING_OPTION } } = require('#internal/errors');
    throw new ERR_MISSING_OPTION('--permission');
  }
  if (values['--inspect'] || values['--inspect-brk'] || values['--inspect-wait']) require('#inspector/remote').startFromFlags();
  startTools();
  const loadsTests = !values['--test'] || values['--test-isolation'] === 'none';
  if (values['--experimental-test-coverage'] && loadsTests && !process.env.NODE_TEST_CONTEXT) {
    require('#test/coverage').start();
  }
  // A child with a channel to its parent, perhaps a cluster's worker.
  if (process.env.NODE_CHANNEL_FD) require('#child_process/bootstrap').setupChildProcess();
  require('#module/run_main').start();
}

function onUncaught(error, fromPromise, arrow) {
  const fatal = require('#process/fatal');
  // A program that took the handler away gets what Node.js gives it: status 6.
  if (typeof process._fatalException !== 'function') {
    fatal.report(error, fromPromise, arrow);
    process.reallyExit(6);
  }
  return fatal.onUncaught(error, fromPromise, arrow);
}

function onBeforeExit() {
  const { exitCode } = process;
  process.emit('beforeExit', exitCode ?? 0);
}

function onExit() {
  return require('#process/exit').finish();
}

function install(setHook) {
  setHook('main', main);
  setHook('uncaught', onUncaught);
  setHook('beforeExit', onBeforeExit);
  setHook('exit', onExit);
  setHook('emitProcess', (event, ...args) => process.emit(event, ...args));
  setHook('prepareStackTrace', require('#process/stack_trace').prepare);
}

module.exports = { install, prepare, startTools, parts: { main, onBeforeExit, onExit } };

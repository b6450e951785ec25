'use strict';

// One round of the fuzzer: round.cjs MODULE SEED [TRACE_FILE]. Writes each call to TRACE_FILE before it is made.

const fs = require('fs');
const { isMainThread, Worker, workerData } = require('worker_threads');
const { Values } = require('./values.cjs');
const { kObjects } = require('./objects.cjs');

const [, , moduleArg, seedArg, traceFile] = isMainThread ? process.argv : workerData;
const values = new Values(Number(seedArg));
const exit = process.reallyExit.bind(process);
const write = fs.writeSync;
const traceFd = traceFile ? fs.openSync(traceFile, 'a') : -1;
const skipped = new Set((process.env.FUZZ_SKIP ?? '').split(','));

/** What would end or starve the process by what it is for, or close descriptors that belong to the runtime. */
const kNever = new RegExp(
  '^(exit|reallyExit|abort|kill|_kill|execve|dlopen|_debugProcess|_debugEnd|_startProfilerIdleNotifier|fork|_rawDebug|runMain|_fatalException|' +
  'setuid|setgid|seteuid|setegid|setgroups|initgroups|chdir|umask|closeSync|close|wait|writeHeapSnapshot|setHeapSnapshotNearHeapLimit|getHeapSnapshot|' +
  'queryObjects|setFlagsFromString|startupSnapshot|openStdin|stdin|stdout|stderr|mainModule|setPriority|GLOBAL|root|eval|require|children|parent|_cache|' +
  'gc|runInDebugContext|waitForDebugger|createRequire|_pathCache|_extensions|globalPaths|builtinModules|test|before|after|syncBuiltinESMExports|fetch|console|spawnSync|execSync|execFileSync)$');
// `close` is skipped only where it takes a descriptor.
const kMethodOk = new Set(['close', 'exit', 'kill', 'wait']);
const kEngineGlobals = /^(Object|Function|Array|Number|Boolean|String|Symbol|BigInt|Math|Date|RegExp|Map|Set|Weak.*|Promise|Proxy|Reflect|JSON|Intl|.*Array|ArrayBuffer|SharedArrayBuffer|DataView|.*Error|Atomics|Iterator|FinalizationRegistry|SuppressedError|DisposableStack|AsyncDisposableStack)$/;

/** @type {Array<{ call: Function, self: unknown, path: string }>} */
const functions = [];
const seen = new Set([Object.prototype, Function.prototype, Array.prototype, Promise.prototype, globalThis, process.mainModule, require.cache, values]);

function forbidden(name, path, depth) {
  if (typeof name !== 'string') return false;
  if (name.startsWith('%')) return true;
  if (depth > 0 && path.includes('()') && kMethodOk.has(name)) return false;
  return kNever.test(name) || (moduleArg === 'globals' && depth === 0 && kEngineGlobals.test(name));
}

/** Collects what can be called on `object`, below it and on its prototypes. */
function collect(object, path, depth) {
  if (object === null || (typeof object !== 'object' && typeof object !== 'function') || seen.has(object) || depth > 3) return;
  if (ArrayBuffer.isView(object) && depth > 0) return;
  seen.add(object);
  let names;
  try { names = Reflect.ownKeys(object); } catch { return; }
  for (const name of names) {
    if (forbidden(name, path, depth)) continue;
    let value, descriptor;
    try { descriptor = Reflect.getOwnPropertyDescriptor(object, name); value = object[name]; } catch { /* it throws */ }
    if (descriptor === undefined) continue;
    const at = `${path}.${String(name)}`;
    if (typeof value === 'function') functions.push({ call: value, self: object, path: at });
    if (typeof descriptor.get === 'function') functions.push({ call: descriptor.get, self: object, path: `get ${at}` });
    if (typeof descriptor.set === 'function') functions.push({ call: descriptor.set, self: object, path: `set ${at}` });
    collect(value, at, depth + 1);
  }
}

/** The methods of one constructed object, wherever on its prototypes they are. */
function methodsOf(object, path) {
  const found = [];
  const visited = new Set();
  for (let at = object; at !== null && at !== undefined && at !== Object.prototype && at !== Function.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Reflect.ownKeys(at)) {
      if (visited.has(name) || name === 'constructor') continue;
      visited.add(name);
      if (forbidden(name, `${path}()`, 1) || (typeof name === 'string' && /^(fd|_handle)$/.test(name))) continue;
      found.push(name);
    }
  }
  return found;
}

function describe(value) {
  try {
    switch (typeof value) {
      case 'string': return JSON.stringify(value.length > 40 ? `${value.slice(0, 30)}...(${value.length})` : value);
      case 'symbol': return value.toString();
      case 'bigint': return `${value}n`;
      case 'object': case 'function': return value === null ? 'null' : Object.prototype.toString.call(value);
      default: return Object.is(value, -0) ? '-0' : String(value);
    }
  } catch {
    return '[odd]';
  }
}

function trace(text) {
  if (traceFd >= 0) write(traceFd, `${text}\n`);
}

/** Results that may have methods worth calling, and what quiets them. */
const pool = [];
function handleResult(result, path) {
  if (result === null || (typeof result !== 'object' && typeof result !== 'function')) return;
  try {
    if (typeof result.then === 'function') result.then((value) => { if (pool.length < 60) handleResult(value, path); }, () => {});
    else if (typeof result.on === 'function') result.on('error', () => {});
    if (!(result instanceof Promise) && pool.length < 60 && !seen.has(result)) pool.push({ object: result, path: `${path}()` });
  } catch { /* odd results */ }
}

function callOnce(fn, self, path, count = values.random(6)) {
  if (skipped.has(path)) return;
  const args = Array.from({ length: count }, () => values.any());
  const mode = values.random(8);
  trace(`${mode === 0 ? 'new ' : ''}${path}(${args.map(describe).join(', ')})`);
  try {
    if (mode === 0) handleResult(Reflect.construct(fn, args), path);
    else handleResult(Reflect.apply(fn, mode === 1 ? values.any() : self, args), path);
  } catch { /* exceptions are fine */ }
}

function callMethod({ object, path }) {
  let names;
  try { names = methodsOf(object, path); } catch { return; }
  if (names.length === 0) return;
  const name = values.pick(names);
  let method;
  try {
    if (values.random(10) === 0) { const value = values.any(); trace(`${path}.${String(name)} = ${describe(value)}`); object[name] = value; return; }
    method = object[name];
  } catch { return; }
  if (typeof method === 'function') callOnce(method, object, `${path}.${String(name)}`);
}

function makeObject() {
  const makers = kObjects[moduleArg.replace(/\/promises$/, '').replace('node:', '').replace('process', 'util')] ?? [];
  if (makers.length === 0) return;
  const maker = values.pick(makers);
  trace(`make ${maker}`);
  try { handleResult(maker(values), `object ${makers.indexOf(maker)}`); } catch { /* not here */ }
}

function step() {
  const until = Date.now() + 200;
  for (let i = 0; i < 60 && Date.now() < until; i++) {
    if (pool.length === 0 || values.random(12) === 0) makeObject();
    if (functions.length > 0 && values.random(2) === 0) {
      const { call, self, path } = values.pick(functions);
      callOnce(call, self, path);
    } else if (pool.length > 0) {
      callMethod(values.pick(pool));
    }
  }
  if (pool.length > 50) pool.splice(0, 10);
  if (values.random(4) === 0) { trace('gc'); globalThis.gc?.(); }
}

function main() {
  const subject = moduleArg === 'globals' ? globalThis : require(moduleArg);
  seen.delete(moduleArg === 'globals' ? globalThis : undefined);
  collect(subject, moduleArg, 0);
  if (isMainThread) process.stdin.on?.('error', () => {});
  for (const event of ['uncaughtException', 'unhandledRejection', 'warning']) process.on(event, () => {});
  const { setImmediate, setTimeout } = globalThis;
  const steps = Number(process.env.FUZZ_STEPS ?? 40);
  let done = 0;
  const next = () => {
    step();
    if (++done < steps) { if (values.random(3) === 0) setTimeout(next, 2); else setImmediate(next); return; }
    trace('end');
    if (values.random(2)) exit(0);
    setTimeout(() => exit(0), 300);
  };
  next();
}

if (isMainThread && Number(seedArg) % 3 === 0 && !process.env.FUZZ_MAIN) {
  // Hooks of the main thread stay whole; the worker dies in the middle of whatever it does.
  const worker = new Worker(__filename, { workerData: process.argv, stdout: true, stderr: true });
  worker.on('error', () => {});
  setTimeout(() => worker.terminate(), 200 + Number(seedArg) * 37 % 1500);
} else {
  main();
}

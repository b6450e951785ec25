'use strict';

// The working directory, asked of the system once. Workers are told by a shared counter when the main thread changes it.

const native = binding('process');
const AtomicsLoad = Atomics.load;
const AtomicsAdd = Atomics.add;
// Programs may take the global away, and a flag of V8's leaves it out.
const known = globalThis.SharedArrayBuffer;

/** Memory for several threads. */
function sharedBuffer(size) {
  /** @type {any} */
  const SharedBuffer = known ?? new WebAssembly.Memory({ initial: 0, maximum: 1, shared: true }).buffer.constructor;
  return new SharedBuffer(size);
}


let cached;
/** @type {Int32Array | undefined} */
let counter;

function cwd() {
  return (cached ??= native.cwd());
}

function chdir(directory) {
  require('#internal/validators').validateString(directory, 'directory');
  native.chdir(directory);
  cached = undefined;
  if (counter !== undefined) AtomicsAdd(counter, 0, 1);
}

function forget() {
  cached = undefined;
}

/** The counter for a new worker. */
function share() {
  return (counter ??= new Int32Array(sharedBuffer(4)));
}

/** In a worker: process.cwd as it is there. */
function workerCwd(shared) {
  counter = shared;
  let seen = -1;
  return { cwd() {
    const now = AtomicsLoad(counter, 0);
    if (now !== seen) cached = undefined;
    seen = now;
    return (cached ??= native.cwd());
  } }.cwd;
}

module.exports = { cwd, chdir, forget, share, workerCwd, sharedBuffer };

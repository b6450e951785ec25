'use strict';

// Async context: what AsyncLocalStorage stores, carried by V8 (its continuation-preserved embedder data)
// across promise reactions, and by ticks, timers, resources and native operations through `snapshot()` and
// `exchange()`.
//
// A frame is a flat list [storage, value, storage, value, ...]; programs have a handful of storages, and
// comparing a few pointers beats a map. `undefined` is the empty frame. Frames are shared and never change,
// except by `removeStore`.

const native = binding('async_context');

// Until the first store is entered there is nothing to carry, and nobody asks V8.
let used = false;

/** The current frame: keep it, and give it to `exchange` or `run` later. */
function snapshot() {
  return used ? native.get() : undefined;
}

/** Makes `frame` current. @returns the frame that was */
function exchange(frame) {
  if (!used) return undefined;
  const previous = native.get();
  if (previous !== frame) native.set(frame);
  return previous;
}

function set(frame) {
  used = true;
  native.set(frame);
}

/** Calls `fn` with `frame` current. */
function run(frame, fn, receiver, ...args) {
  const previous = exchange(frame);
  try {
    return Reflect.apply(fn, receiver, args);
  } finally {
    exchange(previous);
  }
}

function indexOf(frame, storage) {
  for (let i = 0; i < frame.length; i += 2) if (frame[i] === storage) return i;
  return -1;
}

/** `frame` with `storage` holding `value`. */
function withStore(frame, storage, value) {
  if (frame === undefined) return [storage, value];
  const index = indexOf(frame, storage);
  const next = frame.slice();
  if (index === -1) next.push(storage, value);
  else next[index + 1] = value;
  return next;
}

/** `frame` without `storage`. */
function withoutStore(frame, storage) {
  if (frame === undefined) return undefined;
  const index = indexOf(frame, storage);
  if (index === -1) return frame;
  return frame.length === 2 ? undefined : frame.toSpliced(index, 2);
}

let removals = 0;

/** Takes `storage` out of the current frame itself: whatever was started in it loses it too (disable()). */
function removeStore(storage) {
  const frame = snapshot();
  if (frame === undefined) return;
  const index = indexOf(frame, storage);
  if (index === -1) return;
  frame.splice(index, 2);
  removals++;
}

/** Calls `fn` with `storage` holding `value`. Other storages may be entered meanwhile, and stay so. */
function runWith(storage, value, fn, args) {
  const previous = snapshot();
  const frame = withStore(previous, storage, value);
  const removalsBefore = removals;
  set(frame);
  try {
    return fn(...args);
  } finally {
    const now = native.get();
    if (now === frame && removals === removalsBefore) native.set(previous);
    else restore(storage, previous, now);
  }
}

/** `now` with `storage` as it is in `previous`. */
function restore(storage, previous, now) {
  const index = previous === undefined ? -1 : indexOf(previous, storage);
  native.set(index === -1 ? withoutStore(now, storage) : withStore(now, storage, previous[index + 1]));
}

/** What `storage` holds now, or `fallback`. */
function read(storage, fallback) {
  if (!used) return fallback;
  const frame = native.get();
  if (frame === undefined) return fallback;
  for (let i = 0; i < frame.length; i += 2) if (frame[i] === storage) return frame[i + 1];
  return fallback;
}

module.exports = {
  snapshot, exchange, set, run, runWith, read, withStore, withoutStore, removeStore, current: snapshot,
};

'use strict';
// poll_oneoff: waits for clocks. A descriptor counts as ready at once.

const { errno } = require('#wasi/constants');
const { WasiError } = require('#wasi/descriptors');

const kClock = 0;
const kRead = 1;
const kAbsolute = 1;
const kSubscription = 48;
const kEvent = 32;

function readSubscription(program, now, at) {
  const { view } = program;
  const userdata = view.getBigUint64(at, true);
  const type = view.getUint8(at + 8);
  if (type !== kClock) return { userdata, type, fd: view.getUint32(at + 16, true) };
  const clock = view.getUint32(at + 16, true);
  const timeout = view.getBigUint64(at + 24, true);
  const left = view.getUint16(at + 40, true) & kAbsolute ? timeout - now(clock) : timeout;
  return { userdata, type, left: left > 0n ? left : 0n };
}

/** The result of a subscription to a descriptor. */
function look(program, { fd }) {
  try {
    program.descriptors.get(fd);
    return errno.SUCCESS;
  } catch (error) {
    if (error instanceof WasiError) return error.number;
    throw error;
  }
}

/** @returns {number} of events */
function poll(program, now, subscriptions, events, count) {
  const all = [];
  for (let i = 0; i < count; i++) all.push(readSubscription(program, now, subscriptions + i * kSubscription));
  let ready = all.filter(({ type }) => type !== kClock).map((one) => ({ ...one, error: look(program, one) }));
  if (ready.length === 0) {
    const first = all.reduce((least, { left }) => (left < least ? left : least), all[0].left);
    sleep(first);
    ready = all.filter(({ left }) => left <= first).map((one) => ({ ...one, error: errno.SUCCESS }));
  }
  ready.forEach(({ userdata, error, type }, i) => {
    const at = events + i * kEvent;
    program.bytes(at, kEvent).fill(0);
    program.view.setBigUint64(at, userdata, true);
    program.view.setUint16(at + 8, error, true);
    program.view.setUint8(at + 10, type);
    if (type === kRead && error === errno.SUCCESS) program.view.setBigUint64(at + 16, 1n, true);
  });
  return ready.length;
}

/** The program has no turn to give back: the thread waits. */
function sleep(nanoseconds) {
  if (nanoseconds === 0n) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(nanoseconds) / 1e6);
}

module.exports = { poll };

'use strict';

// What the two controllers of readable streams share (Streams Standard, clauses 4.6 and 4.7): when they pull.

const { callAsync, kState, methodOf, uponPromise } = require('#web/stream_base');

/**
 * The internal slots of a controller. Each kind adds `error(error)` and the steps that the stream asks for:
 * cancelSteps(reason), pullSteps(request), releaseSteps().
 */
class ControllerState {
  started = false;
  closeRequested = false;
  pullAgain = false;
  pulling = false;

  /**
   * @param {string} kind
   * @param {object} controller
   * @param {object} queue what has a `total`
   * @param {{ stream: object, algorithms: object, highWaterMark: number }} setup `algorithms`: see algorithmsOf
   */
  constructor(kind, controller, queue, { stream, algorithms, highWaterMark }) {
    this.kind = kind;
    this.controller = controller;
    this.queue = queue;
    this.stream = stream;
    this.highWaterMark = highWaterMark;
    this.pull = algorithms.pull;
    this.cancel = algorithms.cancel;
  }
}

/** The algorithms of an underlying source: start(controller); pull(controller) and cancel(reason) give promises. */
function algorithmsOf(source) {
  const { start } = source;
  const pull = methodOf(source, 'pull', 'source');
  const cancel = methodOf(source, 'cancel', 'source');
  return {
    start: (controller) => (start === undefined ? undefined : Reflect.apply(start, source, [controller])),
    pull: (controller) => (pull === undefined ? Promise.resolve() : callAsync(pull, source, controller)),
    cancel: (reason) => (cancel === undefined ? Promise.resolve() : callAsync(cancel, source, reason)),
  };
}

/** Ties a controller to its state and its stream, and starts it. */
function startController(state, start) {
  const { controller } = state;
  controller[kState] = state;
  state.stream[kState].controller = controller;
  uponPromise(Promise.resolve(start(controller)), () => {
    state.started = true;
    pullIfNeeded(controller);
  }, (error) => state.error(error));
}

function pullIfNeeded(controller) {
  const state = controller[kState];
  if (!shouldPull(state)) return;
  if (state.pulling) {
    state.pullAgain = true;
    return;
  }
  state.pulling = true;
  uponPromise(state.pull(controller), () => {
    state.pulling = false;
    if (!state.pullAgain) return;
    state.pullAgain = false;
    pullIfNeeded(controller);
  }, (error) => state.error(error));
}

function shouldPull(state) {
  if (!state.started || !takesChunks(state)) return false;
  // Reads that wait.
  if (state.stream[kState].reader?.[kState].requests.length > 0) return true;
  return state.highWaterMark > state.queue.total;
}

/** CanCloseOrEnqueue */
function takesChunks(state) {
  return !state.closeRequested && state.stream[kState].state === 'readable';
}

function desiredSizeOf(controller) {
  const { stream, highWaterMark, queue } = controller[kState];
  const { state } = stream[kState];
  if (state === 'errored') return null;
  return state === 'closed' ? 0 : highWaterMark - queue.total;
}

module.exports = { ControllerState, algorithmsOf, desiredSizeOf, pullIfNeeded, startController, takesChunks };

'use strict';

// How streams come up (_construct) and end (destroy): shared by Readable and Writable.

const {
  AbortError, aggregateTwoErrors,
  codes: { ERR_MULTIPLE_CALLBACK },
} = require('#internal/errors');
const {
  kIsDestroyed, kDestroy, kConstruct, isDestroyed, isFinished, isServerRequest, isRequest,
} = require('#stream/utils');

/** Notes `err` as what went wrong, on both sides, unless something did before. */
function noteError(err, w, r) {
  if (!err) return;
  // Reading the stack now makes V8 keep its text rather than all that the frames hold.
  err.stack; // eslint-disable-line no-unused-expressions
  if (w && !w.errored) w.errored = err;
  if (r && !r.errored) r.errored = err;
}

/** stream.destroy */
function destroy(err, cb) {
  const r = this._readableState;
  const w = this._writableState;
  const state = w || r;

  if (w?.destroyed || r?.destroyed) {
    if (typeof cb === 'function') cb();
    return this;
  }
  noteError(err, w, r);
  if (w) w.destroyed = true;
  if (r) r.destroyed = true;

  if (state && !state.constructed) {
    this.once(kDestroy, function(er) {
      callDestroy(this, aggregateTwoErrors(er, err), cb);
    });
  } else {
    callDestroy(this, err, cb);
  }
  return this;
}

function callDestroy(stream, err, cb) {
  let called = false;
  function onDestroy(er) {
    if (called) return;
    called = true;
    const r = stream._readableState;
    const w = stream._writableState;
    noteError(er, w, r);
    if (w) w.closed = true;
    if (r) r.closed = true;
    if (typeof cb === 'function') cb(er);
    if (er) process.nextTick(emitErrorCloseNT, stream, er);
    else process.nextTick(emitCloseNT, stream);
  }
  try {
    stream._destroy(err || null, onDestroy);
  } catch (er) {
    onDestroy(er);
  }
}

function emitErrorCloseNT(stream, err) {
  emitErrorNT(stream, err);
  emitCloseNT(stream);
}

function emitCloseNT(stream) {
  const r = stream._readableState;
  const w = stream._writableState;
  if (w) w.closeEmitted = true;
  if (r) r.closeEmitted = true;
  if (w?.emitClose || r?.emitClose) stream.emit('close');
}

function emitErrorNT(stream, err) {
  const r = stream._readableState;
  const w = stream._writableState;
  if (w?.errorEmitted || r?.errorEmitted) return;
  if (w) w.errorEmitted = true;
  if (r) r.errorEmitted = true;
  stream.emit('error', err);
}

/** Makes a destroyed stream usable again (net.Socket reconnects with it). */
function undestroy() {
  const r = this._readableState;
  const w = this._writableState;
  if (r) {
    r.constructed = true;
    r.closed = false;
    r.closeEmitted = false;
    r.destroyed = false;
    r.errored = null;
    r.errorEmitted = false;
    r.reading = false;
    r.ended = r.readable === false;
    r.endEmitted = r.readable === false;
  }
  if (w) {
    w.constructed = true;
    w.destroyed = false;
    w.closed = false;
    w.closeEmitted = false;
    w.errored = null;
    w.errorEmitted = false;
    w.finalCalled = false;
    w.prefinished = false;
    w.ended = w.writable === false;
    w.ending = w.writable === false;
    w.finished = w.writable === false;
  }
}

/** What a stream does on an error of its own: destroys itself if it may, else only tells. */
function errorOrDestroy(stream, err, sync) {
  const r = stream._readableState;
  const w = stream._writableState;
  if (w?.destroyed || r?.destroyed) return;
  if (r?.autoDestroy || w?.autoDestroy) {
    stream.destroy(err);
  } else if (err) {
    noteError(err, w, r);
    if (sync) process.nextTick(emitErrorNT, stream, err);
    else emitErrorNT(stream, err);
  }
}

/** Calls stream._construct on the next tick, and `cb` when it is done. A duplex comes here twice. */
function construct(stream, cb) {
  if (typeof stream._construct !== 'function') return;
  const r = stream._readableState;
  const w = stream._writableState;
  if (r) r.constructed = false;
  if (w) w.constructed = false;
  stream.once(kConstruct, cb);
  if (stream.listenerCount(kConstruct) > 1) return;
  process.nextTick(constructNT, stream);
}

function constructNT(stream) {
  let called = false;
  function onConstruct(err) {
    if (called) {
      errorOrDestroy(stream, err ?? new ERR_MULTIPLE_CALLBACK());
      return;
    }
    called = true;
    const r = stream._readableState;
    const w = stream._writableState;
    const state = w || r;
    if (r) r.constructed = true;
    if (w) w.constructed = true;
    if (state.destroyed) {
      stream.emit(kDestroy, err);
    } else if (err) {
      errorOrDestroy(stream, err, true);
    } else {
      stream.emit(kConstruct);
    }
  }
  try {
    stream._construct((err) => {
      process.nextTick(onConstruct, err);
    });
  } catch (err) {
    process.nextTick(onConstruct, err);
  }
}

function emitErrorCloseLegacy(stream, err) {
  stream.emit('error', err);
  process.nextTick(emitCloseLegacy, stream);
}

function emitCloseLegacy(stream) {
  stream.emit('close');
}

/** Ends any stream, by whatever means it has. */
function destroyer(stream, err) {
  if (!stream || isDestroyed(stream)) return;
  if (!err && !isFinished(stream)) err = new AbortError();

  if (isServerRequest(stream)) {
    stream.socket = null;
    stream.destroy(err);
  } else if (isRequest(stream)) {
    stream.abort();
  } else if (isRequest(stream.req)) {
    stream.req.abort();
  } else if (typeof stream.destroy === 'function') {
    stream.destroy(err);
  } else if (typeof stream.close === 'function') {
    stream.close();
  } else if (err) {
    process.nextTick(emitErrorCloseLegacy, stream, err);
  } else {
    process.nextTick(emitCloseLegacy, stream);
  }
  if (!stream.destroyed) stream[kIsDestroyed] = true;
}

module.exports = { construct, destroyer, destroy, undestroy, errorOrDestroy };

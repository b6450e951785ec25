'use strict';

// Readable.prototype.pipe and unpipe.

const { prependListener } = require('#stream/legacy');
const { errorOrDestroy } = require('#stream/destroy');

/** One source and one destination, from pipe() to unpipe(). */
class Pipe {
  constructor(source, dest) {
    this.source = source;
    this.dest = dest;
    this.ondrain = undefined;
    this.done = false;
    this.ondata = (chunk) => {
      try {
        if (this.dest.write(chunk) === false) this.pause();
      } catch (error) {
        this.dest.destroy(error);
      }
    };
    this.onend = () => this.dest.end();
    this.unpipe = () => this.source.unpipe(this.dest);
    this.onclose = () => {
      this.dest.removeListener('finish', this.onfinish);
      this.unpipe();
    };
    this.onfinish = () => {
      this.dest.removeListener('close', this.onclose);
      this.unpipe();
    };
    this.onerror = (er) => this.fail(er);
    this.onunpipe = (readable, info) => {
      if (readable === this.source && info && info.hasUnpiped === false) {
        info.hasUnpiped = true;
        this.cleanup();
      }
    };
  }

  start(endsDest) {
    const { source, dest } = this;
    const state = source._readableState;
    const atEnd = endsDest ? this.onend : this.unpipe;
    if (state.endEmitted) process.nextTick(atEnd);
    else source.once('end', atEnd);

    dest.on('unpipe', this.onunpipe);
    source.on('data', this.ondata);
    // Before the user's own: an error that nobody handles must not leave the pipe standing.
    prependListener(dest, 'error', this.onerror);
    dest.once('close', this.onclose);
    dest.once('finish', this.onfinish);
    dest.emit('pipe', source);

    if (dest.writableNeedDrain === true) this.pause();
    else if (!state.flowing) source.resume();
  }

  /** The destination is full: waits for its 'drain'. */
  pause() {
    const { source, dest } = this;
    const state = source._readableState;
    if (!this.done) {
      if (state.pipes.length === 1 && state.pipes[0] === dest) {
        state.awaitDrainWriters = dest;
        state.multiAwaitDrain = false;
      } else if (state.pipes.length > 1 && state.pipes.includes(dest)) {
        state.awaitDrainWriters.add(dest);
      }
      source.pause();
    }
    if (!this.ondrain) {
      this.ondrain = () => this.drained();
      dest.on('drain', this.ondrain);
    }
  }

  drained() {
    const { source, dest } = this;
    const state = source._readableState;
    if (state.awaitDrainWriters === dest) state.awaitDrainWriters = null;
    else if (state.multiAwaitDrain) state.awaitDrainWriters.delete(dest);
    const waitsForOthers = state.awaitDrainWriters && state.awaitDrainWriters.size !== 0;
    if (!waitsForOthers && source.listenerCount('data')) source.resume();
  }

  fail(er) {
    const { dest } = this;
    this.unpipe();
    dest.removeListener('error', this.onerror);
    if (dest.listenerCount('error') > 0) return;
    const state = dest._writableState || dest._readableState;
    if (state && !state.errorEmitted) errorOrDestroy(dest, er);
    else dest.emit('error', er);
  }

  cleanup() {
    const { source, dest } = this;
    dest.removeListener('close', this.onclose);
    dest.removeListener('finish', this.onfinish);
    if (this.ondrain) dest.removeListener('drain', this.ondrain);
    dest.removeListener('error', this.onerror);
    dest.removeListener('unpipe', this.onunpipe);
    source.removeListener('end', this.onend);
    source.removeListener('end', this.unpipe);
    source.removeListener('data', this.ondata);
    this.done = true;
    // If the source waits for this destination alone, nobody else would wake it.
    const state = source._readableState;
    if (this.ondrain && state.awaitDrainWriters && (!dest._writableState || dest._writableState.needDrain)) {
      this.ondrain();
    }
  }
}

function install(proto) {
  proto.pipe = function(dest, pipeOpts) {
    const state = this._readableState;
    if (state.pipes.length === 1 && !state.multiAwaitDrain) {
      state.multiAwaitDrain = true;
      state.awaitDrainWriters = new Set(state.awaitDrainWriters ? [state.awaitDrainWriters] : []);
    }
    state.pipes.push(dest);
    const endsDest = (!pipeOpts || pipeOpts.end !== false) &&
      dest !== process.stdout && dest !== process.stderr;
    new Pipe(this, dest).start(endsDest);
    return dest;
  };

  proto.unpipe = function(dest) {
    const state = this._readableState;
    const info = { hasUnpiped: false };
    if (state.pipes.length === 0) return this;
    if (!dest) {
      const dests = state.pipes;
      state.pipes = [];
      this.pause();
      for (const each of dests) each.emit('unpipe', this, { hasUnpiped: false });
      return this;
    }
    const index = state.pipes.indexOf(dest);
    if (index === -1) return this;
    state.pipes.splice(index, 1);
    if (state.pipes.length === 0) this.pause();
    dest.emit('unpipe', this, info);
    return this;
  };
}

module.exports = { install };

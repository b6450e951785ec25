'use strict';

// Duplex: a Readable that is a Writable too.

module.exports = Duplex;

const Readable = require('#stream/readable');
const Writable = require('#stream/writable');
const { Stream } = require('#stream/legacy');
const { addAbortSignal } = require('#stream/add_abort_signal');
const destroyImpl = require('#stream/destroy');
const { onConstructed } = require('#stream/utils');

Object.setPrototypeOf(Duplex.prototype, Readable.prototype);
Object.setPrototypeOf(Duplex, Readable);

// What Readable does not have comes from Writable.
for (const method of Object.keys(Writable.prototype)) {
  if (!(method in Duplex.prototype)) Duplex.prototype[method] = Writable.prototype[method];
}
// Fails what waits to be written, which Readable's does not know of.
Duplex.prototype.destroy = Writable.prototype.destroy;

function Duplex(options) {
  if (!(this instanceof Duplex)) return new Duplex(options);

  this._events ??= {
    close: undefined,
    error: undefined,
    prefinish: undefined,
    finish: undefined,
    drain: undefined,
    data: undefined,
    end: undefined,
    readable: undefined,
  };
  this._readableState = new Readable.ReadableState(options, this, true);
  this._writableState = new Writable.WritableState(options, this, true);

  if (options) {
    this.allowHalfOpen = options.allowHalfOpen !== false;
    if (options.readable === false) {
      this._readableState.readable = false;
      this._readableState.ended = true;
      this._readableState.endEmitted = true;
    }
    if (options.writable === false) {
      this._writableState.writable = false;
      this._writableState.ending = true;
      this._writableState.ended = true;
      this._writableState.finished = true;
    }
    takeMethods(this, options);
    if (options.signal) addAbortSignal(options.signal, this);
  } else {
    this.allowHalfOpen = true;
  }
  Stream.call(this, options);

  if (this._construct != null) {
    destroyImpl.construct(this, () => {
      onConstructed.readable(this);
      onConstructed.writable(this);
    });
  }
}

function takeMethods(stream, options) {
  if (typeof options.read === 'function') stream._read = options.read;
  if (typeof options.write === 'function') stream._write = options.write;
  if (typeof options.writev === 'function') stream._writev = options.writev;
  if (typeof options.destroy === 'function') stream._destroy = options.destroy;
  if (typeof options.final === 'function') stream._final = options.final;
  if (typeof options.construct === 'function') stream._construct = options.construct;
}

for (const name of [
  'writable', 'writableHighWaterMark', 'writableObjectMode', 'writableBuffer', 'writableLength',
  'writableFinished', 'writableCorked', 'writableEnded', 'writableNeedDrain',
]) {
  Object.defineProperty(Duplex.prototype, name,
    { __proto__: null, ...Object.getOwnPropertyDescriptor(Writable.prototype, name) });
}

Object.defineProperty(Duplex.prototype, 'destroyed', {
  __proto__: null,
  get() {
    if (this._readableState === undefined || this._writableState === undefined) return false;
    return this._readableState.destroyed && this._writableState.destroyed;
  },
  set(value) {
    // Before construction there is nothing to destroy.
    if (this._readableState && this._writableState) {
      this._readableState.destroyed = value;
      this._writableState.destroyed = value;
    }
  },
});

Duplex.fromWeb = function(pair, options) {
  return require('#stream/web_adapters').newStreamDuplexFromReadableWritablePair(pair, options);
};
Duplex.toWeb = function(duplex, options) {
  return require('#stream/web_adapters').newReadableWritablePairFromDuplex(duplex, options);
};
Duplex.from = function(body) {
  return require('#stream/duplexify')(body, 'body');
};

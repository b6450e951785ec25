'use strict';

// Transform: a Duplex whose output is made of its input. The readable side's buffer holds the writable side
// back: the callback of a write is kept (kCallback) until there is room.

module.exports = Transform;

const Duplex = require('#stream/duplex');
const { getHighWaterMark } = require('#stream/state');
const {
  codes: { ERR_METHOD_NOT_IMPLEMENTED },
} = require('#internal/errors');

Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
Object.setPrototypeOf(Transform, Duplex);

const kCallback = Symbol('kCallback');

function Transform(options) {
  if (!(this instanceof Transform)) return new Transform(options);

  const objectMode = options?.readableObjectMode || options?.objectMode;
  const readableHighWaterMark = options ?
    getHighWaterMark(objectMode, options, 'readableHighWaterMark', true) : null;
  if (readableHighWaterMark === 0) {
    // Without room on the readable side the writable side must not buffer either.
    options = {
      ...options,
      highWaterMark: null,
      readableHighWaterMark,
      writableHighWaterMark: options.writableHighWaterMark || 0,
    };
  }
  Duplex.call(this, options);

  // _read is only told of room, and the data comes by itself.
  this._readableState.sync = false;
  this[kCallback] = null;
  if (options) {
    if (typeof options.transform === 'function') this._transform = options.transform;
    if (typeof options.flush === 'function') this._flush = options.flush;
  }
  // A subclass with a _final of its own would lose the flush.
  this.on('prefinish', prefinish);
}

function final(cb) {
  if (typeof this._flush === 'function' && !this.destroyed) {
    this._flush((er, data) => {
      if (er) {
        if (cb) cb(er);
        else this.destroy(er);
        return;
      }
      if (data != null) this.push(data);
      this.push(null);
      if (cb) cb();
    });
  } else {
    this.push(null);
    if (cb) cb();
  }
}

function prefinish() {
  if (this._final !== final) final.call(this);
}

Transform.prototype._final = final;

Transform.prototype._transform = function(chunk, encoding, callback) {
  throw new ERR_METHOD_NOT_IMPLEMENTED('_transform()');
};

Transform.prototype._write = function(chunk, encoding, callback) {
  const r = this._readableState;
  const w = this._writableState;
  const { length } = r;

  this._transform(chunk, encoding, (err, val) => {
    if (err) {
      callback(err);
      return;
    }
    if (val != null) this.push(val);
    if (r.ended) {
      // The output ended early. What is written after that is taken and dropped, but not all at once.
      process.nextTick(callback);
      return;
    }
    if (w.ended || length === r.length || r.length < r.highWaterMark) callback();
    else this[kCallback] = callback;
  });
};

Transform.prototype._read = function() {
  if (this[kCallback]) {
    const callback = this[kCallback];
    this[kCallback] = null;
    callback();
  }
};

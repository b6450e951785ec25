'use strict';

// Writable ends of standard output and error that write at once: a stream over a file, and a handle that stands in for
// a pipe's under a net.Socket.

const { Writable } = require('stream');
const { Buffer } = require('buffer');
const { UVException } = require('#internal/errors');
const { write } = binding('stdio');

/** A file is written in order and whole before write() returns. */
function SyncWriteStream(fd, options) {
  Writable.call(this, { autoDestroy: true, decodeStrings: false });
  options ||= {};
  this.fd = fd;
  this.readable = false;
  this.autoClose = options.autoClose === undefined ? true : options.autoClose;
}
Object.setPrototypeOf(SyncWriteStream.prototype, Writable.prototype);
Object.setPrototypeOf(SyncWriteStream, Writable);

function bytesOf(chunk, encoding) {
  if (typeof chunk !== 'string' || encoding === 'utf8' || encoding === 'utf-8' || encoding === 'buffer' || !encoding) {
    return chunk;
  }
  return Buffer.from(chunk, encoding);
}

SyncWriteStream.prototype._write = function (chunk, encoding, callback) {
  const status = write(this.fd, bytesOf(chunk, encoding));
  callback(status < 0 ? new UVException({ errno: status, syscall: 'write' }) : undefined);
};

SyncWriteStream.prototype._destroy = function (error, callback) {
  if (this.fd === null) return callback(error);
  if (this.autoClose) require('fs').closeSync(this.fd);
  this.fd = null;
  callback(error);
};

SyncWriteStream.prototype.destroySoon = function () {
  this.destroy();
};

/** What net.Socket asks of a handle, for a descriptor that stays as blocking as its other users have it. */
class SyncHandle {
  constructor(fd) {
    this.fd = fd;
    this.bytesRead = 0;
    this.bytesWritten = 0;
    this.writeQueueSize = 0;
    this.reading = false;
  }

  #write(data) {
    const status = write(this.fd, data);
    if (status === 0) this.bytesWritten += typeof data === 'string' ? Buffer.byteLength(data) : data.byteLength;
    return status;
  }

  writeBuffer(request, buffer) {
    return this.#write(buffer);
  }

  writeUtf8String(request, text) {
    return this.#write(text);
  }

  writeLatin1String(request, text) {
    return this.#write(Buffer.from(text, 'latin1'));
  }

  writev(request, buffers) {
    return this.#write(Buffer.concat(buffers));
  }

  shutdown() {
    return 1;
  }

  close(callback) {
    if (callback) setImmediate(callback);
  }

  setBlocking() {
    return 0;
  }

  readStart() {
    return 0;
  }

  readStop() {
    return 0;
  }

  getAsyncId() {
    return -1;
  }

  ref() {}

  unref() {}

  hasRef() {
    return false;
  }
}

module.exports = { SyncWriteStream, SyncHandle };

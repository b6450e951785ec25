'use strict';
// A net.Socket whose bytes go over any Duplex: for libraries that know it as the module _stream_wrap.

const net = require('net');
const { BytesHandle } = require('#net/bytes_handle');
const {
  codes: { ERR_STREAM_WRAP },
} = require('#internal/errors');

const UV_EOF = -4095;
const UV_EPIPE = -32;
const UV_ECANCELED = -125;

/** An argument of the constructor: nothing is read until somebody asks. */
const kIdle = Symbol('kIdle');

/** The handle that net.Socket expects, over a stream. */
class JSStream extends BytesHandle {
  constructor(stream) {
    super();
    this.stream = stream;
    this.owner = undefined;
    this.onread = undefined;
    this.reading = false;
    this.closed = false;
    this.attached = false;
    this.bytesRead = 0;
    this.bytesWritten = 0;
  }

  #attach() {
    this.attached = true;
    const { stream } = this;
    stream.on('data', (chunk) => this.#take(chunk));
    stream.once('end', () => { if (!this.closed) this.onread?.(UV_EOF); });
    stream.once('close', () => { if (!this.closed) this.owner?.destroy(); });
    stream.on('error', (error) => this.owner?.destroy(error));
  }

  #take(chunk) {
    if (this.closed) return;
    if (typeof chunk === 'string' || !ArrayBuffer.isView(chunk)) {
      // Bytes were asked for; these were decoded, or never were bytes.
      this.stream.pause();
      this.owner?.emit('error', new ERR_STREAM_WRAP());
      return;
    }
    this.bytesRead += chunk.byteLength;
    this.onread?.(chunk.byteLength, chunk);
  }

  readStart() {
    this.reading = true;
    if (!this.attached) this.#attach();
    this.stream.resume();
    return 0;
  }

  readStop() {
    this.reading = false;
    this.stream.pause();
    return 0;
  }

  writeBuffer(request, data) {
    if (this.closed) return UV_ECANCELED;
    this.bytesWritten += data.byteLength;
    this.stream.write(data, (error) => request.oncomplete(error ? error.errno ?? UV_EPIPE : 0, this));
    return 1;
  }

  get writeQueueSize() {
    return this.stream.writableLength;
  }

  shutdown(request) {
    this.stream.end(() => request.oncomplete(0));
    return 0;
  }

  close(callback) {
    if (this.closed) return;
    this.closed = true;
    this.stream.destroy();
    require('timers').setImmediate(callback);
  }

  reset(callback) {
    this.close(callback);
    return 0;
  }

  ref() {
    this.stream.ref?.();
  }

  unref() {
    this.stream.unref?.();
  }
}

class JSStreamSocket extends net.Socket {
  constructor(stream) {
    const handle = new JSStream(stream);
    super(/** @type {any} */ ({ handle, manualStart: true }));
    handle.owner = this;
    this.stream = stream;
    if (arguments[1] !== kIdle) this.read(0);
  }

  static get StreamWrap() {
    return JSStreamSocket;
  }
}

module.exports = { JSStreamSocket, kIdle };

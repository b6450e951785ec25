'use strict';
// The handle of a TLSSocket: what net.Socket expects of a connection, over any Duplex, with a native TLS connection in
// between. Plain text is read and written here, encrypted bytes on the stream below.

const { Buffer } = require('buffer');
const { BytesHandle } = require('#net/bytes_handle');
const { TlsConnection } = binding('tls');

const UV_EOF = -4095;
const UV_ECANCELED = -125;
const UV_EPIPE = -32;

class TLSHandle extends BytesHandle {
  /**
   * @param {import('stream').Duplex} stream carries the encrypted bytes
   * @param {object} context the native SecureContext
   * @param {boolean} isServer
   */
  constructor(stream, context, isServer) {
    super();
    this.stream = stream;
    this.connection = new TlsConnection(context, isServer);
    this.isServer = isServer;
    this.reading = false;
    this.secured = false;
    this.started = false;
    this.handshakes = 0; // beyond the first
    this.renegotiating = false;
    this.held = []; // plain text that came with a later handshake while nobody reads
    this.closed = false;
    this.sawEnd = false; // of the stream below
    this.gaveEnd = false; // to the socket above
    this.saidEnd = false; // to the peer
    this.bytesRead = 0;
    this.bytesWritten = 0;
    this.waiting = []; // writes and the shutdown that came before the handshake was over
    this.inCycle = false;
    this.holding = false; // while it is decided whether the peer is trusted
    this.parentWrap = undefined;
    // Set by the socket.
    this.owner = undefined;
    this.onread = undefined;
    this.onsecure = undefined;
    this.onerror = undefined;
    this.onevent = undefined;
    this._onData = (chunk) => this.feed(chunk);
    this._onEnd = () => this.end();
    stream.on('data', this._onData);
    stream.on('end', this._onEnd);
    // Nothing is asked of the stream before it is needed.
    stream.pause();
  }

  /** Begins the handshake. */
  start() {
    if (this.started || this.closed) return;
    this.started = true;
    this.stream.resume();
    this.cycle();
  }

  feed(chunk) {
    if (this.closed) return;
    if (typeof chunk === 'string') chunk = Buffer.from(chunk);
    this.connection.feed(chunk);
    if (this.started) this.cycle();
  }

  end() {
    if (this.closed) return;
    this.sawEnd = true;
    if (this.started) this.cycle();
    else this.giveEnd();
  }

  giveEnd() {
    if (this.gaveEnd || this.closed) return;
    this.gaveEnd = true;
    this.onread?.(UV_EOF);
  }

  /** Goes on with what can be done: the handshake, then reading. */
  cycle() {
    if (this.closed || this.inCycle) return;
    this.inCycle = true;
    try {
      if (!this.secured && !this.handshake()) return;
      this.readPlain();
    } finally {
      // What a listener of the program throws is not ours to catch.
      this.inCycle = false;
    }
    if (this.sawEnd && !this.closed) this.giveEndIfAllRead();
  }

  fail(error) {
    if (this.closed) return;
    this.tellEvents();
    // The alert that says why.
    this.flush();
    if (!this.closed) this.onerror?.(error);
  }

  handshake() {
    let done;
    try {
      done = this.connection.handshake();
    } catch (error) {
      this.fail(error);
      return false;
    }
    this.tellEvents();
    if (this.closed) return false;
    if (!done) {
      this.flush();
      if (this.sawEnd) this.giveEnd();
      return false;
    }
    this.secured = true;
    // A peer that is not trusted never gets our last word of the handshake.
    this.holding = true;
    this.onsecure?.();
    this.holding = false;
    if (this.closed) return false;
    this.flush();
    this.writeWaiting();
    return !this.closed;
  }

  /** @returns {Buffer | null | undefined} null at the end, undefined when there is no more, or it went wrong */
  readChunk() {
    try {
      return this.connection.read();
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  readPlain() {
    // A new handshake goes on though nobody reads.
    while (this.renegotiating && !this.reading && !this.closed) {
      const chunk = this.readChunk();
      this.tellEvents();
      if (!chunk) break;
      this.held.push(chunk);
    }
    while (this.reading && !this.closed && !this.gaveEnd) {
      const chunk = this.held.shift() ?? this.readChunk();
      if (chunk === undefined) break;
      if (chunk === null) {
        this.giveEnd();
        break;
      }
      this.bytesRead += chunk.length;
      this.onread(chunk.length, chunk);
    }
    if (this.closed) return;
    this.tellEvents();
    this.flush();
  }

  giveEndIfAllRead() {
    // With the reader stopped there may be plain text left; reading it comes here again.
    if (this.reading || !this.secured) this.giveEnd();
  }

  tellEvents() {
    const events = this.connection.events();
    if (events === undefined) return;
    for (let i = 0; i < events.length && !this.closed; i += 3) {
      this.onevent?.(events[i], events[i + 1], events[i + 2]);
    }
  }

  /** Sends what the connection wants to be sent; `callback` hears when the stream has taken it. */
  flush(callback) {
    const bytes = this.connection.drain();
    if (bytes === undefined) {
      if (callback !== undefined) process.nextTick(callback);
      return;
    }
    this.bytesWritten += bytes.length;
    const { stream } = this;
    if (stream.destroyed || stream.writableEnded) {
      if (callback !== undefined) process.nextTick(callback, new Error('write after end'));
      return;
    }
    stream.write(bytes, callback);
  }

  /** True when the peer is gone or told to be: what the stream says then is no error of the connection's. */
  get closing() {
    return this.gaveEnd || this.saidEnd;
  }

  // --- what net.Socket calls ---

  readStart() {
    this.reading = true;
    if (this.started) {
      this.stream.resume();
      // The caller is in the middle of a read; what there is comes after it.
      if (this.secured) process.nextTick(() => this.cycle());
    }
    return 0;
  }

  readStop() {
    this.reading = false;
    if (this.secured && !this.closed && !this.renegotiating) this.stream.pause();
    return 0;
  }

  /** @returns {number} 0 when it is done, 1 when the request will be told, or a negative errno */
  writeBuffer(request, data) {
    if (this.closed) return UV_ECANCELED;
    if (!this.secured || this.waiting.length > 0) {
      this.waiting.push({ request, data });
      return 1;
    }
    return this.writeNow(request, data);
  }

  writeNow(request, data) {
    if (data.byteLength === 0) return 0;
    let taken;
    try {
      taken = this.connection.write(data);
    } catch (error) {
      process.nextTick(() => this.fail(error));
      return 1;
    }
    if (taken < data.byteLength) {
      // A new handshake has to end first.
      this.flush();
      const rest = new Uint8Array(data.buffer, data.byteOffset + taken, data.byteLength - taken);
      this.waiting.push({ request, data: rest });
      return 1;
    }
    this.flush((error) => {
      const status = this.closed ? UV_ECANCELED : error?.errno ?? UV_EPIPE;
      request.oncomplete(error ? status : 0, this);
    });
    return 1;
  }

  writeWaiting() {
    const { waiting } = this;
    this.waiting = [];
    for (const { request, data, shutdown } of waiting) {
      if (this.closed) return;
      if (shutdown) {
        this.shutdownNow(request);
      } else if (this.writeNow(request, data) === 0) {
        request.oncomplete(0, this);
      }
    }
  }

  get writeQueueSize() {
    return this.stream.writableLength;
  }

  shutdown(request) {
    if (this.closed) return UV_ECANCELED;
    if (!this.secured || this.waiting.length > 0) {
      this.waiting.push({ request, shutdown: true });
      return 0;
    }
    this.shutdownNow(request);
    return 0;
  }

  shutdownNow(request) {
    this.saidEnd = true;
    this.connection.shutdown();
    this.flush();
    const { stream } = this;
    if (stream.destroyed || stream.writableEnded) {
      process.nextTick(() => request.oncomplete(0));
      return;
    }
    stream.end(() => request.oncomplete(0));
  }

  close(callback) {
    if (this.closed) return;
    const { stream } = this;
    if (this.secured && !this.holding && !stream.destroyed && !stream.writableEnded) {
      // Telling the peer is a courtesy: the bytes leave if the stream takes them at once.
      this.connection.shutdown();
      this.flush();
    }
    this.closed = true;
    stream.removeListener('data', this._onData);
    stream.removeListener('end', this._onEnd);
    const { waiting } = this;
    this.waiting = [];
    for (const { request } of waiting) process.nextTick(() => request.oncomplete(UV_ECANCELED, this));
    if (stream.destroyed && stream.closed) {
      // Behind the tick in which net.Socket tells of an error.
      require('timers').setImmediate(callback);
      return;
    }
    let told = false;
    const tell = () => {
      if (told) return;
      told = true;
      // Behind the socket's own 'error'.
      process.nextTick(callback);
    };
    stream.once('close', tell);
    if (stream.writableLength > 0 && !stream.writableEnded && stream.destroySoon) stream.destroySoon();
    else stream.destroy();
    // A stream that emits no 'close'.
    if (stream._readableState?.emitClose === false && stream._handle === undefined) process.nextTick(tell);
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

  setNoDelay(value) {
    this.stream.setNoDelay?.(value);
  }

  setKeepAlive(value, delay) {
    this.stream.setKeepAlive?.(value, delay * 1000);
  }

  getpeername(out) {
    Object.assign(out, this.stream._getpeername?.());
    return 0;
  }

  getsockname(out) {
    Object.assign(out, this.stream._getsockname?.());
    return 0;
  }

  /** Over a stream that is no socket: a socket over that stream, whose class libraries look for here. */
  get _parentWrap() {
    if (this.stream instanceof require('net').Socket) return undefined;
    const { JSStreamSocket, kIdle } = require('#net/stream_socket');
    return this.parentWrap ??= new JSStreamSocket(this.stream, kIdle);
  }

  /** Why the peer's certificate is not trusted, or null. */
  verifyError() {
    return this.connection.verifyError();
  }

  get fd() {
    return this.stream._handle?.fd ?? -1;
  }
}

module.exports = { TLSHandle };

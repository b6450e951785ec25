'use strict';

// The net.Socket that programs see of a connection which the native server core owns: `req.socket`.
//
// Its handle is a SocketHandle, which has the methods of the native handles of node:net but works through the core.
// For an upgrade or CONNECT the core gives its stream up, and the socket gets a handle of its own.

const { Socket } = require('net');
const { replaceHandle } = require('#net/socket');
const { createPipe, createTCP } = require('#net/handles');
const { Buffer } = require('buffer');
const { setImmediate } = require('timers');
const { kExchange, kFromCore } = require('#http/outgoing_symbols');
const { emitCloseNT, socketOnError, socketOnTimeout } = require('#http/server_connection');
const { onServerResponseClose } = require('#http/server_response');
const { codes: { ERR_HTTP_SOCKET_ENCODING } } = require('#internal/errors');

const { HTTPParser } = binding('http');
const UV_EOF = -4095;

const kOnTimeout = HTTPParser.kOnTimeout | 0;

/** A listener that goes with the core. */
const kAbortRequests = Symbol('kAbortRequests');

function noop() {}

/** A handle for net.Socket whose reading is the core's. */
class SocketHandle {
  reading = true;
  onread = null;
  #connection;
  #requests = [];
  #closed = undefined;

  constructor(connection) {
    this.#connection = connection;
  }

  get connection() {
    return this.#connection;
  }

  readStart() {
    return 0;
  }

  readStop() {
    return 0;
  }

  /** 0 when all is written, 1 when `request` is told later. */
  #write(request, data, latin1) {
    const connection = this.#connection;
    if (connection.gone) return -32; // EPIPE
    connection.write(data, latin1);
    connection.flush();
    if (connection.writeQueueSize === 0) return 0;
    this.#requests.push(request);
    return 1;
  }

  writeUtf8String(request, text) {
    return this.#write(request, text, false);
  }

  writeLatin1String(request, text) {
    return this.#write(request, text, true);
  }

  writeBuffer(request, buffer) {
    return this.#write(request, buffer, false);
  }

  writev(request, buffers) {
    return this.#write(request, Buffer.concat(buffers), false);
  }

  onDrained() {
    this.#complete(0);
  }

  #complete(status) {
    const requests = this.#requests;
    this.#requests = [];
    for (const request of requests) request.oncomplete(status, this);
  }

  shutdown(request) {
    this.#connection.shutdown();
    process.nextTick(() => request.oncomplete(0, this));
    return 0;
  }

  close(callback) {
    if (this.#closed !== undefined) return;
    this.#closed = callback ?? (() => {});
    this.#connection.closing = true;
    // Behind the tick in which net.Socket tells of an error.
    if (this.#connection.gone) setImmediate(() => this.onGone());
    else this.#connection.close();
  }

  reset(callback) {
    this.#closed = callback;
    this.#connection.closing = true;
    this.#connection.reset();
    return 0;
  }

  /** The core's connection is closed. */
  onGone() {
    this.#complete(-125); // ECANCELED
    const callback = this.#closed;
    this.#closed = () => {};
    callback?.call(this);
  }

  onEof() {
    this.onread?.(UV_EOF);
  }

  getpeername(out) {
    return this.#connection.getpeername(out);
  }

  getsockname(out) {
    return this.#connection.getsockname(out);
  }

  setNoDelay(on) {
    return this.#connection.setNoDelay(on);
  }

  setKeepAlive(on, delay) {
    return this.#connection.setKeepAlive(on, delay);
  }

  ref() {
    this.#connection.ref();
  }

  unref() {
    this.#connection.unref();
  }

  hasRef() {
    return this.#connection.hasRef();
  }

  get fd() {
    return this.#connection.fd;
  }

  get bytesRead() {
    return this.#connection.bytesRead;
  }

  get bytesWritten() {
    return this.#connection.bytesWritten;
  }

  get writeQueueSize() {
    return this.#connection.writeQueueSize;
  }
}

/** Who listens to data gets what comes in, beside the parser. */
function listenRaw(name, listener) {
  if (name === 'data' || name === 'readable') this._handle?.connection?.setRawInput(true);
  return Reflect.apply(Socket.prototype.on, this, [name, listener]);
}

function prependRaw(name, listener) {
  if (name === 'data' || name === 'readable') this._handle?.connection?.setRawInput(true);
  return Reflect.apply(Socket.prototype.prependListener, this, [name, listener]);
}

function socketSetEncoding() {
  throw new ERR_HTTP_SOCKET_ENCODING();
}

/** What the core read it has parsed; what a program pushes is input all the same. */
function onData(chunk) {
  if (!chunk[kFromCore]) this._handle?.connection?.inject(chunk);
}

function onDrain() {
  const connection = this._handle?.connection;
  if (connection?.outputPaused) connection.checkOutput();
}

function releaseParser() {
  const { parser } = this;
  if (!parser) return;
  this.parser = null;
  parser.onIncoming = null;
  parser[kOnTimeout] = null;
  parser.remove();
  parser.free();
}

/** What of the parser other code looks at. */
class ParserView {
  #connection;
  constructor(connection) {
    this.#connection = connection;
    this.onIncoming = noop;
    this[kOnTimeout] = noop;
  }

  free() {}

  close() {}

  remove() {}

  get incoming() {
    const { receiving, current, ending } = this.#connection;
    // A request lets go of its parser when it is destroyed, which follows its end.
    const ended = ending?.deref();
    return receiving ?? current?.req ?? (ended !== undefined && !ended.destroyed ? ended : null);
  }
}

/** @returns {Socket} for the connection's whole life */
function makeSocket(connection) {
  const { server } = connection;
  const handle = new SocketHandle(connection);
  const socket = new Socket({
    handle,
    allowHalfOpen: true,
    readable: true,
    writable: true,
    manualStart: true,
    readableHighWaterMark: server.highWaterMark,
    writableHighWaterMark: server.highWaterMark,
  });
  socket.on('close', releaseParser);
  socket.on('close', (socket[kAbortRequests] = () => connection.abortRequests()));
  socket.on('close', onServerResponseClose);
  socket.server = server;
  socket.parser = new ParserView(connection);
  Object.defineProperty(socket, '_httpMessage', {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get: () => connection.current,
    set() {},
  });
  socket.on('error', socketOnError);
  socket.on('timeout', socketOnTimeout);
  socket.on('drain', onDrain);
  socket.on('data', onData);
  socket.on = listenRaw;
  socket.addListener = listenRaw;
  socket.prependListener = prependRaw;
  socket.setEncoding = socketSetEncoding;
  socket._paused = false;
  socket._closedByCore = () => handle.onGone();
  if (connection.closing) socket.destroy();
  return socket;
}

/** Undoes makeSocket's part of a socket that becomes the user's. */
function release(socket) {
  socket.removeListener('error', socketOnError);
  socket.removeListener('timeout', socketOnTimeout);
  socket.removeListener('close', releaseParser);
  socket.removeListener('close', socket[kAbortRequests]);
  socket.removeListener('close', onServerResponseClose);
  socket.removeListener('drain', onDrain);
  socket.removeListener('data', onData);
  for (const name of ['on', 'addListener', 'prependListener', 'setEncoding', '_closedByCore', '_httpMessage']) {
    delete socket[name];
  }
  socket.parser = null;
  socket._httpMessage = null;
}

/** Answers to earlier requests, which have not ended, go on over the socket, in their order. */
function handOver(connection, socket) {
  const { current, queue } = connection;
  if (current === null) return;
  const pending = [current, ...(queue ?? [])];
  connection.current = null;
  connection.queue = null;
  const startNext = () => {
    const res = pending.shift();
    if (res === undefined || socket.destroyed) return;
    res[kExchange] = undefined;
    res.req.socket = socket;
    res.on('finish', () => {
      res.detachSocket(socket);
      process.nextTick(emitCloseNT, res);
      startNext();
    });
    res.assignSocket(socket);
  };
  startNext();
}

/** Takes the descriptor from the core: { socket, head }. `socket` is null when the connection is gone. */
function takeSocket(connection, rest) {
  const { server } = connection;
  const isTcp = connection.isTcp();
  connection.detached = true;
  const handle = isTcp ? createTCP() : createPipe();
  const unread = connection.handOver(handle);
  if (unread === undefined) {
    connection.detached = false;
    handle.close();
    return { socket: null, head: rest };
  }
  let socket = connection.netSocket;
  if (socket !== null) {
    release(socket);
    replaceHandle(socket, handle);
    // The stream waits for data already: it will not ask again.
    handle.reading = true;
    handle.readStart();
  } else {
    socket = new Socket({
      handle,
      allowHalfOpen: true,
      readable: true,
      writable: true,
      readableHighWaterMark: server.highWaterMark,
      writableHighWaterMark: server.highWaterMark,
    });
    socket.server = server;
    socket.parser = null;
  }
  socket._server = server;
  socket.readableFlowing = null;
  handOver(connection, socket);
  return { socket, head: unread.length > 0 ? Buffer.concat([rest, unread]) : rest };
}

module.exports = { makeSocket, takeSocket };

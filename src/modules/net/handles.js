'use strict';

// The bridge between the native stream handles (TCP, Pipe, TTY) and the objects that own them. The native half calls
// one function per kind of event, registered once; each finds what to do in the handle's own fields:
//
//   handle.onread(nread, buffer)         data, or a negative errno (UV_EOF at the end of the stream)
//   handle.onconnection(status, client)  a server's handle accepted a connection
//   request.oncomplete(status)           of connect(), shutdown() and writes that could not end at once
//
// A request is any object with `oncomplete`; requests of one kind end in the order in which they were made.

const native = binding('net');
const { Buffer } = require('buffer');

let registered = false;

function onread(nread, arrayBuffer, offset) {
  if (nread <= 0) return this.onread(nread, undefined);
  return this.onread(nread, Buffer.from(arrayBuffer, offset, nread));
}

function onconnection(status, client) {
  this.onconnection(status, client);
}

function oncomplete(request, status) {
  request.oncomplete(status, this);
}

function onclose(callback) {
  if (callback !== undefined) callback.call(this);
}

/** What process.getActiveResourcesInfo() tells of streams. */
function activeStreams() {
  const list = native.activeStreams();
  const entries = [];
  for (let i = 0; i < list.length; i += 2) entries.push({ type: list[i], resource: list[i + 1].owner ?? list[i + 1] });
  return entries;
}

/** Callbacks are handed over when the first handle is made: a start-up snapshot keeps none of them. */
function register() {
  registered = true;
  require('#process/active').addSource(activeStreams);
  native.setCallbacks(onread, onconnection, oncomplete, onclose);
}

/** @param {boolean} server */
function createTCP(server = false) {
  if (!registered) register();
  return new native.TCP(server);
}

const kPipeSocket = 0;
const kPipeServer = 1;
const kPipeIpc = 2;

/** @param {number} role kPipeSocket, kPipeServer, or kPipeIpc, over which descriptors travel */
function createPipe(role = kPipeSocket) {
  if (!registered) register();
  return new native.Pipe(role);
}

/** @param {number} fd @returns {object | number} a handle, or a negative errno */
function openTTY(fd) {
  if (!registered) register();
  const { TTY } = binding('tty');
  const handle = new TTY();
  const error = handle.open(fd);
  return error < 0 ? error : handle;
}

const guessHandleType = (fd) => native.guessHandleType(fd);

const isTCP = (handle) => handle instanceof native.TCP;
const isPipe = (handle) => handle instanceof native.Pipe;

const isHandle = (handle) => handle instanceof native.StreamHandle;

module.exports = { kPipeServer, kPipeIpc, createTCP, createPipe, openTTY, guessHandleType, isTCP, isPipe, isHandle };

'use strict';

// Transferring streams (Streams Standard, clause 8.2): each side of a message channel carries chunks, requests and
// errors to the other, so that a stream can be read in another realm or thread.

const { DOMException } = require('#web/dom_exception');
const { deferred, handled, kState, nop } = require('#web/stream_base');
const readable = require('#web/readable_stream');
const writable = require('#web/writable_stream');
const { TransformStream } = require('#web/transform_stream');
const { pipeTo } = require('#web/stream_pipe');
const { MessageChannel, handleOf } = require('#web/messaging');

const noOptions = { preventAbort: false, preventCancel: false, preventClose: false, signal: undefined };

/** For each stream that is about to be transferred the port that goes along. */
const pending = new WeakMap();

function checkUnlocked(stream, isLocked, name) {
  if (!isLocked(stream)) return;
  throw new DOMException(`Cannot transfer a locked ${name}`, 'DataCloneError');
}

/** What must be transferred along with a stream: one port for each of its sides. */
function transferListOf(stream) {
  const ports = [];
  const { kind } = stream[kState];
  if (kind === 'readable') {
    checkUnlocked(stream, readable.isLocked, 'ReadableStream');
    const { port1, port2 } = new MessageChannel();
    pending.set(stream, { mine: port1, theirs: port2 });
    ports.push(port2);
  } else if (kind === 'writable') {
    checkUnlocked(stream, writable.isLocked, 'WritableStream');
    const { port1, port2 } = new MessageChannel();
    pending.set(stream, { mine: port1, theirs: port2 });
    ports.push(port2);
  } else {
    ports.push(...transferListOf(stream[kState].readable), ...transferListOf(stream[kState].writable));
  }
  return ports;
}

function transferReadable(stream) {
  checkUnlocked(stream, readable.isLocked, 'ReadableStream');
  const { mine, theirs } = pending.get(stream);
  const sink = createCrossRealmWritable(mine, nop);
  handled(pipeTo(stream, sink, noOptions));
  return ['ReadableStream', { port: theirs }];
}

function transferWritable(stream) {
  checkUnlocked(stream, writable.isLocked, 'WritableStream');
  const { mine, theirs } = pending.get(stream);
  const source = createCrossRealmReadable(mine, nop);
  handled(pipeTo(source, stream, noOptions));
  return ['WritableStream', { port: theirs }];
}

function transferTransform(stream) {
  const [, { port: readablePort }] = transferReadable(stream[kState].readable);
  const [, { port: writablePort }] = transferWritable(stream[kState].writable);
  return ['TransformStream', { readablePort, writablePort }];
}

function deserializeReadable({ port }) {
  return createCrossRealmReadable(port);
}

function deserializeWritable({ port }) {
  return createCrossRealmWritable(port);
}

function deserializeTransform({ readablePort, writablePort }) {
  const stream = Object.create(TransformStream.prototype);
  stream[kState] = {
    kind: 'transform',
    readable: createCrossRealmReadable(readablePort),
    writable: createCrossRealmWritable(writablePort),
    controller: undefined,
    backpressure: undefined,
  };
  return stream;
}

/** Errors that cannot be cloned are told by their message. */
function send(port, type, value) {
  port.postMessage({ type, value });
}

function sendError(port, error) {
  try {
    send(port, 'error', error);
  } catch {
    send(port, 'error', new DOMException('The error could not be cloned', 'DataCloneError'));
  }
}

/** What waits for the other side keeps the loop alive, at the receiver's end: the sender has let the stream go. */
function keepAlive(port, isWaiting) {
  if (isWaiting) port.ref();
  else port.unref();
}

function listen(port, onMessage, onError) {
  handleOf(port).onmessage = (value) => onMessage(value);
  handleOf(port).onmessageerror = (error) => onError(error);
  port.start();
}

function createCrossRealmReadable(port, keep = keepAlive) {
  let reply;
  const stream = readable.createReadableStream({
    start() {},
    pull() {
      reply = deferred();
      keep(port, true);
      send(port, 'pull', undefined);
      return reply.promise;
    },
    cancel(reason) {
      try {
        sendError(port, reason);
        return Promise.resolve();
      } catch (error) {
        return Promise.reject(error);
      } finally {
        port.close();
      }
    },
  }, 0);
  const { controller } = stream[kState];
  const answered = () => {
    keep(port, false);
    reply?.resolve();
    reply = undefined;
  };
  listen(port, ({ type, value }) => {
    if (type === 'chunk') {
      readable.enqueueChunk(controller, value);
      answered();
    } else if (type === 'close') {
      readable.closeController(controller);
      answered();
      port.close();
    } else if (type === 'error') {
      readable.errorController(controller, value);
      answered();
      port.close();
    }
  }, (error) => {
    sendError(port, error);
    readable.errorController(controller, error);
    answered();
    port.close();
  });
  return stream;
}

function createCrossRealmWritable(port, keep = keepAlive) {
  let backpressure = deferred();
  const stream = writable.createWritableStream({
    start() {},
    write(chunk) {
      keep(port, true);
      const waiting = backpressure ?? { promise: Promise.resolve() };
      return waiting.promise.then(() => {
        keep(port, false);
        backpressure = deferred();
        try {
          send(port, 'chunk', chunk);
        } catch (error) {
          sendError(port, error);
          port.close();
          throw error;
        }
      });
    },
    close() {
      send(port, 'close', undefined);
      port.close();
      return Promise.resolve();
    },
    abort(reason) {
      try {
        sendError(port, reason);
        return Promise.resolve();
      } catch (error) {
        return Promise.reject(error);
      } finally {
        port.close();
      }
    },
  });
  const { controller } = stream[kState];
  const release = () => {
    backpressure?.resolve();
    backpressure = undefined;
  };
  listen(port, ({ type, value }) => {
    if (type === 'pull') {
      release();
    } else if (type === 'error') {
      writable.errorIfNeeded(controller, value);
      release();
      port.close();
    }
  }, (error) => {
    sendError(port, error);
    writable.errorIfNeeded(controller, error);
    release();
    port.close();
  });
  return stream;
}

module.exports = {
  deserializeReadable, deserializeTransform, deserializeWritable, transferListOf, transferReadable, transferTransform,
  transferWritable,
};

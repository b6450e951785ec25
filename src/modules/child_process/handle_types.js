'use strict';

// What may travel with a message: servers, sockets, and native handles. Each type says which descriptor goes, and what
// the receiver makes of it.

const { createTCP, createPipe, guessHandleType, isTCP, isPipe } = require('#net/handles');

function noop() {}

/** A native stream handle for a descriptor that came over a channel. */
function openStream(fd) {
  const handle = guessHandleType(fd) === 'PIPE' ? createPipe() : createTCP();
  const error = handle.open(fd);
  return error < 0 ? undefined : handle;
}

function openDatagram(fd) {
  return require('#dgram/handles').openHandle(fd);
}

const types = {
  __proto__: null,

  'net.Native': {
    handleOf: (handle) => handle,
    receive: (message, fd, emit) => emit(openStream(fd)),
  },

  'net.Server': {
    handleOf: (server) => server._handle,
    receive(message, fd, emit) {
      const server = new (require('net').Server)();
      server.listen(openStream(fd), () => emit(server));
    },
  },

  'net.Socket': {
    handleOf(socket, message, options, target) {
      if (!socket._handle) return undefined;
      if (socket.server) {
        // The receiver counts it from now on.
        message.key = socket.server._connectionKey;
        const first = !target._socketLists?.has(message.key);
        const list = require('#child_process/socket_list').sendingList(target, message.key);
        if (first) socket.server._setupWorker(list);
        if (!options.keepOpen) {
          socket.server._connections--;
          socket._server = null;
        }
      }
      const handle = socket._handle;
      if (!options.keepOpen) {
        handle.onread = noop;
        socket._handle = null;
        socket.setTimeout(0);
      }
      return handle;
    },
    /** The descriptor is the receiver's. */
    sent(handle, options) {
      if (handle && !options.keepOpen) handle.close();
    },
    receive(message, fd, emit, target) {
      const socket = new (require('net').Socket)({ handle: openStream(fd), readable: true, writable: true });
      if (message.key) require('#child_process/socket_list').receivingList(target, message.key).add(socket);
      emit(socket);
    },
  },

  'dgram.Native': {
    handleOf: (handle) => handle,
    receive: (message, fd, emit) => emit(openDatagram(fd)),
  },

  'dgram.Socket': {
    handleOf: (socket) => require('#dgram/handles').handleOfSocket(socket),
    receive(message, fd, emit) {
      const socket = new (require('dgram').Socket)(message.dgramType);
      socket.bind(openDatagram(fd), () => emit(socket));
    },
  },
};

/** @returns {string | undefined} */
function typeOf(value, message) {
  const net = require('net');
  if (value instanceof net.Socket) return 'net.Socket';
  if (value instanceof net.Server) return 'net.Server';
  if (isTCP(value) || isPipe(value)) return 'net.Native';
  const dgram = require('dgram');
  if (value instanceof dgram.Socket) {
    message.dgramType = value.type;
    return 'dgram.Socket';
  }
  if (require('#dgram/handles').isHandle(value)) return 'dgram.Native';
  return undefined;
}

module.exports = { types, typeOf };

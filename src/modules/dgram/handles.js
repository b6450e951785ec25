'use strict';

// The bridge between native datagram sockets and the objects that own them.

const native = binding('dgram');
const { Buffer } = require('buffer');

let registered = false;

function onmessage(nread, memory, offset, address, family, port) {
  if (nread < 0) return this.onmessage(nread, this, undefined, undefined);
  this.onmessage(nread, this, Buffer.from(memory, offset, nread), { address, family, port, size: nread });
}

/** What process.getActiveResourcesInfo() tells of datagram sockets. */
function activeSockets() {
  return native.activeSockets().map((handle) => ({ type: 'UDPWrap', resource: handle.owner ?? handle }));
}

function oncomplete(request, status, sent) {
  request.oncomplete(status, sent);
}

function createUDP() {
  if (!registered) {
    registered = true;
    require('#process/active').addSource(activeSockets);
    native.setCallbacks(onmessage, oncomplete);
  }
  return new native.UDP();
}

/** A handle for a descriptor that came from elsewhere. */
function openHandle(fd) {
  const handle = createUDP();
  return handle.open(fd) < 0 ? undefined : handle;
}

const isHandle = (value) => value instanceof native.UDP;

/** The state of dgram.Socket lies under this. */
const kState = Symbol('state symbol');

const handleOfSocket = (socket) => socket[kState].handle;

module.exports = { createUDP, openHandle, isHandle, handleOfSocket, kState };

'use strict';

// Sockets of one server that were sent to another process: the sender asks the receiver how many there are and when
// they are all closed, so that server.getConnections() and server.close() tell the truth.

const EventEmitter = require('events');
const {
  codes: { ERR_CHILD_CLOSED_BEFORE_REPLY },
} = require('#internal/errors');

/** In the process that sent sockets. */
class SocketListSend extends EventEmitter {
  constructor(child, key) {
    super();
    this.key = key;
    this.child = child;
    child.once('exit', () => this.emit('exit', this));
  }

  #request(message, wanted, callback) {
    const { child } = this;
    if (!child.connected) return onclose();
    child._send(message, undefined, { swallowErrors: true });
    const self = this;
    function onclose() {
      child.removeListener('internalMessage', onreply);
      callback(new ERR_CHILD_CLOSED_BEFORE_REPLY());
    }
    function onreply(reply) {
      if (reply.cmd !== wanted || reply.key !== self.key) return;
      child.removeListener('disconnect', onclose);
      child.removeListener('internalMessage', onreply);
      callback(null, reply);
    }
    child.once('disconnect', onclose);
    child.on('internalMessage', onreply);
  }

  close(callback) {
    this.#request({ cmd: 'NODE_SOCKET_NOTIFY_CLOSE', key: this.key }, 'NODE_SOCKET_ALL_CLOSED', callback);
  }

  getConnections(callback) {
    this.#request({ cmd: 'NODE_SOCKET_GET_COUNT', key: this.key }, 'NODE_SOCKET_COUNT', (error, reply) => {
      callback(error, reply?.count);
    });
  }
}

/** In the process that was sent sockets. */
class SocketListReceive extends EventEmitter {
  constructor(child, key) {
    super();
    this.connections = 0;
    const empty = () => {
      if (child.connected) child._send({ cmd: 'NODE_SOCKET_ALL_CLOSED', key }, undefined, { swallowErrors: true });
    };
    child.on('internalMessage', (message) => {
      if (message.key !== key) return;
      if (message.cmd === 'NODE_SOCKET_NOTIFY_CLOSE') {
        if (this.connections === 0) empty();
        else this.once('empty', empty);
      } else if (message.cmd === 'NODE_SOCKET_GET_COUNT' && child.connected) {
        child._send({ cmd: 'NODE_SOCKET_COUNT', key, count: this.connections });
      }
    });
  }

  add(socket) {
    this.connections++;
    socket.once('close', () => {
      this.connections--;
      if (this.connections === 0) this.emit('empty', this);
    });
  }
}

function listIn(target, name, key, make) {
  const lists = (target[name] ??= new Map());
  let list = lists.get(key);
  if (list === undefined) lists.set(key, (list = make()));
  return list;
}

function sendingList(target, key) {
  return listIn(target, '_socketLists', key, () => new SocketListSend(target, key));
}

function receivingList(target, key) {
  return listIn(target, '_receivedSocketLists', key, () => new SocketListReceive(target, key));
}

module.exports = { sendingList, receivingList };

'use strict';

// A server that the primary listens on, its connections dealt to the workers in turn.

const net = require('net');
const { sendHelper } = require('#cluster/messages');

const UV_TCP_IPV6ONLY = 1;

class RoundRobinHandle {
  constructor(key, address, { port, fd, flags, backlog, readableAll, writableAll }) {
    this.key = key;
    this.all = new Map();
    this.free = new Map();
    /** Connections that no worker has taken yet. */
    this.handles = [];
    this.handle = null;
    this.server = net.createServer(() => {
      throw new Error('a connection passed by the workers');
    });
    if (fd >= 0) this.server.listen({ fd, backlog });
    else if (port >= 0) {
      this.server.listen({ port, host: address, ipv6Only: Boolean(flags & UV_TCP_IPV6ONLY), backlog });
    } else {
      this.server.listen({ path: address, backlog, readableAll, writableAll });
    }
    this.server.once('listening', () => {
      this.handle = this.server._handle;
      this.handle.onconnection = (status, handle) => this.distribute(status, handle);
      this.server._handle = null;
      this.server = null;
    });
  }

  add(worker, send) {
    this.all.set(worker.id, worker);
    const done = () => {
      if (this.handle.getsockname) {
        const sockname = {};
        this.handle.getsockname(sockname);
        send(null, { sockname }, null);
      } else {
        send(null, null, null);
      }
      this.handoff(worker);
    };
    if (this.server === null) return done();
    this.server.once('listening', done);
    this.server.once('error', (error) => send(error.errno, null));
  }

  /** @returns {boolean} whether nobody is left */
  remove(worker) {
    if (!this.all.delete(worker.id)) return false;
    this.free.delete(worker.id);
    if (this.all.size !== 0) return false;
    for (const handle of this.handles.splice(0)) handle.close();
    this.handle?.close();
    this.handle = null;
    return true;
  }

  distribute(status, handle) {
    if (status !== 0) return;
    this.handles.push(handle);
    const [worker] = this.free.values();
    if (worker === undefined) return;
    this.free.delete(worker.id);
    this.handoff(worker);
  }

  handoff(worker) {
    if (!this.all.has(worker.id)) return;
    const handle = this.handles.shift();
    if (handle === undefined) {
      this.free.set(worker.id, worker);
      return;
    }
    sendHelper(worker.process, { act: 'newconn', key: this.key }, handle, (reply) => {
      if (reply.accepted) handle.close();
      else this.distribute(0, handle);
      this.handoff(worker);
    });
  }
}

module.exports = RoundRobinHandle;

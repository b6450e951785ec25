'use strict';

// A listening or datagram socket that all workers have themselves.

class SharedHandle {
  constructor(key, address, { port, addressType, fd, flags }) {
    this.key = key;
    this.workers = new Map();
    this.handle = null;
    this.errno = 0;
    const made = addressType === 'udp4' || addressType === 'udp6'
      ? require('dgram')._createSocketHandle(address, port, addressType, fd, flags)
      : require('net')._createServerHandle(address, port, addressType, fd, flags);
    if (typeof made === 'number') this.errno = made;
    else this.handle = made;
  }

  add(worker, send) {
    this.workers.set(worker.id, worker);
    send(this.errno, null, this.handle);
  }

  /** @returns {boolean} whether nobody is left */
  remove(worker) {
    if (!this.workers.delete(worker.id)) return false;
    if (this.workers.size !== 0) return false;
    this.handle?.close();
    this.handle = null;
    return true;
  }
}

module.exports = SharedHandle;

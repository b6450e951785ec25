'use strict';

// A first-in first-out queue of objects: a list of fixed rings, so that pushing never copies what is queued
// and the common short queue never allocates. `undefined` cannot be queued.

const kSize = 2048;
const kMask = kSize - 1;

class Ring {
  constructor() {
    this.bottom = 0;
    this.top = 0;
    this.list = new Array(kSize);
    this.next = null;
  }

  isEmpty() {
    return this.top === this.bottom;
  }

  isFull() {
    return ((this.top + 1) & kMask) === this.bottom;
  }

  push(item) {
    this.list[this.top] = item;
    this.top = (this.top + 1) & kMask;
  }

  shift() {
    const item = this.list[this.bottom];
    if (item === undefined) return null;
    this.list[this.bottom] = undefined;
    this.bottom = (this.bottom + 1) & kMask;
    return item;
  }
}

class FixedQueue {
  constructor() {
    this.head = this.tail = new Ring();
  }

  isEmpty() {
    return this.head.isEmpty();
  }

  push(item) {
    if (this.head.isFull()) this.head = this.head.next = new Ring();
    this.head.push(item);
  }

  /** @returns {object | null} the oldest item, or null */
  shift() {
    const tail = this.tail;
    const next = tail.shift();
    if (tail.isEmpty() && tail.next !== null) {
      this.tail = tail.next;
      tail.next = null;
    }
    return next;
  }
}

module.exports = { FixedQueue };

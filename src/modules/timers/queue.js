'use strict';

// A binary heap of objects with a numeric `expiry`, the least first. Each knows its `place`, so that one
// whose expiry changed moves without a search.

class ExpiryQueue {
  #heap = [undefined];

  get size() {
    return this.#heap.length - 1;
  }

  peek() {
    return this.#heap[1];
  }

  insert(item) {
    this.#heap.push(item);
    this.#rise(this.#heap.length - 1);
  }

  /** Puts `item` where its changed expiry belongs. */
  update(item) {
    this.#sink(item.place);
    this.#rise(item.place);
  }

  remove(item) {
    const heap = this.#heap;
    const place = item.place;
    const last = heap.pop();
    item.place = 0;
    if (last === item) return;
    heap[place] = last;
    last.place = place;
    this.update(last);
  }

  /** Removes all items for which `isUnwanted`. */
  prune(isUnwanted) {
    const kept = this.#heap.filter((item) => item !== undefined && !isUnwanted(item));
    this.#heap = [undefined];
    for (const item of kept) this.insert(item);
  }

  #rise(place) {
    const heap = this.#heap;
    const item = heap[place];
    while (place > 1) {
      const above = place >> 1;
      const parent = heap[above];
      if (parent.expiry <= item.expiry) break;
      heap[place] = parent;
      parent.place = place;
      place = above;
    }
    heap[place] = item;
    item.place = place;
  }

  #sink(place) {
    const heap = this.#heap;
    const item = heap[place];
    for (;;) {
      let below = place * 2;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && heap[below + 1].expiry < heap[below].expiry) below++;
      const child = heap[below];
      if (item.expiry <= child.expiry) break;
      heap[place] = child;
      child.place = place;
      place = below;
    }
    heap[place] = item;
    item.place = place;
  }
}

module.exports = { ExpiryQueue };

'use strict';

// SQLTagStore: prepared statements kept by the template that they were written in, the least recently used going first.

const { codes: { ERR_INVALID_ARG_TYPE } } = require('#internal/errors');

const kDefaultCapacity = 1000;

class SQLTagStore {
  #db;
  #capacity;
  /** @type {Map<string, import('sqlite').StatementSync>} in order of use */
  #statements = new Map();

  constructor(db, capacity = kDefaultCapacity) {
    this.#db = db;
    this.#capacity = Number.isInteger(capacity) && capacity > 0 ? capacity : kDefaultCapacity;
  }

  get capacity() {
    return this.#capacity;
  }

  get db() {
    return this.#db;
  }

  size() {
    return this.#statements.size;
  }

  clear() {
    this.#statements.clear();
  }

  #statement(strings) {
    if (!Array.isArray(strings) || !Array.isArray(strings.raw)) {
      throw new ERR_INVALID_ARG_TYPE('strings', 'a template literal', strings);
    }
    const sql = strings.join('?');
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      if (this.#statements.size >= this.#capacity) this.#statements.delete(this.#statements.keys().next().value);
    } else {
      this.#statements.delete(sql);
    }
    this.#statements.set(sql, statement);
    return statement;
  }

  get(strings, ...values) {
    return this.#statement(strings).get(...values);
  }

  all(strings, ...values) {
    return this.#statement(strings).all(...values);
  }

  run(strings, ...values) {
    return this.#statement(strings).run(...values);
  }

  iterate(strings, ...values) {
    return this.#statement(strings).iterate(...values);
  }
}

module.exports = { SQLTagStore };

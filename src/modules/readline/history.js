'use strict';

// The lines that were entered before, newest first, and the walk through those that begin like the present one.

const { validateArray, validateNumber } = require('#internal/validators');

const kDefaultSize = 30;

class History {
  constructor({ history = [], historySize = kDefaultSize, removeHistoryDuplicates = false }) {
    validateArray(history, 'history');
    if (historySize === undefined) historySize = kDefaultSize;
    validateNumber(historySize, 'historySize', 0);
    this.lines = history;
    this.size = historySize;
    this.removeDuplicates = Boolean(removeHistoryDuplicates);
    this.index = -1;
    /** What the walk looks for; null while none is under way. */
    this.prefix = null;
  }

  /** @returns {boolean} whether the list changed */
  add(line) {
    this.index = -1;
    if (this.size === 0 || line.trim().length === 0) return false;
    if (this.lines.length === 0 || this.lines[0] !== line) {
      if (this.removeDuplicates) {
        const duplicate = this.lines.indexOf(line);
        if (duplicate !== -1) this.lines.splice(duplicate, 1);
      }
      this.lines.unshift(line);
      if (this.lines.length > this.size) this.lines.pop();
    }
    return true;
  }

  begin(line) {
    this.prefix ??= line;
  }

  end() {
    this.prefix = null;
  }

  #find(from, step, line) {
    let index = from;
    while (index >= 0 && index < this.lines.length &&
      (!this.lines[index].startsWith(this.prefix) || this.lines[index] === line)) {
      index += step;
    }
    return index;
  }

  /** The line before, or undefined at the oldest. */
  previous(line) {
    if (this.index >= this.lines.length || this.lines.length === 0) return undefined;
    const search = this.prefix || '';
    const index = this.#find(this.index + 1, 1, line);
    this.index = index;
    return index === this.lines.length ? search : this.lines[index];
  }

  /** The line after, the searched prefix behind the newest, or undefined when no walk is under way. */
  next(line) {
    if (this.index < 0) return undefined;
    const search = this.prefix || '';
    const index = this.#find(this.index - 1, -1, line);
    this.index = index;
    return index === -1 ? search : this.lines[index];
  }
}

module.exports = { History };

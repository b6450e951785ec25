'use strict';

// The editor of the line that is being typed on a terminal: what each key does, and how the line is drawn.

const { getStringWidth } = require('#util/inspect_width');
const { cursorTo, moveCursor, clearScreenDown } = require('#readline/cursor');

const kMaxUndo = 2048;
const kMaxKills = 32;
const kLineEnding = /\r?\n|\r(?!\n)|\u2028|\u2029/;
const kPlain = /^[\x20-\x7e]*$/;
const kWordLeft = /^\s*(?:[^\w\s]+|\w+)?/;
const kWordRight = /^(?:\s+|[^\w\s]+|\w+)\s*/;

const reverse = (text) => [...text].reverse().join('');

/** How many units the character before the cursor takes. */
function lengthBefore(line, cursor) {
  if (cursor <= 0) return 0;
  if ((cursor > 1 && line.codePointAt(cursor - 2) >= 0x10000)) return 2;
  return 1;
}

/** How many units the character at the cursor takes. */
function lengthAt(line, cursor) {
  if (line.length <= cursor) return 1;
  return line.codePointAt(cursor) >= 0x10000 ? 2 : 1;
}

const editing = {
  // --- drawing ---

  _refreshLine() {
    const line = this._prompt + this.line;
    const displayed = this._getDisplayPos(line);
    const position = this.getCursorPos();
    const previousRows = this.prevRows || 0;
    if (previousRows > 0) moveCursor(this.output, 0, -previousRows);
    cursorTo(this.output, 0);
    clearScreenDown(this.output);
    this._writeToOutput(line);
    // The terminal stays on the row until something is written past its end.
    if (displayed.cols === 0) this._writeToOutput(' ');
    cursorTo(this.output, position.cols);
    const up = displayed.rows - position.rows;
    if (up > 0) moveCursor(this.output, 0, -up);
    this.prevRows = position.rows;
  },

  /** Where the end of `text` is when it begins at the left edge. */
  _getDisplayPos(text) {
    let offset = 0;
    let rows = 0;
    const columns = this.columns;
    if (kPlain.test(text)) {
      const cols = columns === Infinity ? text.length : text.length % columns;
      return { cols, rows: columns === Infinity ? 0 : (text.length - cols) / columns };
    }
    for (const character of text) {
      if (character === '\n') {
        rows += (Math.ceil(offset / columns) || 1);
        offset = 0;
        continue;
      }
      if (character === '\t') {
        offset += this.tabSize - (offset % this.tabSize);
        continue;
      }
      const width = getStringWidth(character, false);
      if (width === 0 || width === 1) offset += width;
      else if ((offset + 1) % columns === 0) offset += width + 1;
      else offset += width;
    }
    const cols = columns === Infinity ? offset : offset % columns;
    rows += columns === Infinity ? 0 : (offset - cols) / columns;
    return { cols, rows };
  },

  getCursorPos() {
    return this._getDisplayPos(this._prompt + this.line.slice(0, this.cursor));
  },

  _getCursorPos() {
    return this.getCursorPos();
  },

  /** Moves the cursor within the line; redraws only if it changes rows. */
  _moveCursor(dx) {
    if (dx === 0) return;
    const before = this.getCursorPos();
    this.cursor = Math.min(Math.max(this.cursor + dx, 0), this.line.length);
    const after = this.getCursorPos();
    if (before.rows === after.rows) moveCursor(this.output, after.cols - before.cols, 0);
    else this._refreshLine();
  },

  /** Leaves the line as it is and goes on below it. */
  clearLine() {
    this._moveCursor(+Infinity);
    this._writeToOutput('\r\n');
    this.line = '';
    this.cursor = 0;
    this.prevRows = 0;
  },

  // --- changing ---

  _beforeEdit(text, cursor) {
    if (this._undoStack.push({ text, cursor }) > kMaxUndo) this._undoStack.shift();
    this._redoStack = [];
  },

  _insertString(text) {
    this._beforeEdit(this.line, this.cursor);
    if (this.cursor < this.line.length) {
      this.line = this.line.slice(0, this.cursor) + text + this.line.slice(this.cursor);
      this.cursor += text.length;
      this._refreshLine();
      return;
    }
    const before = this.getCursorPos();
    this.line += text;
    this.cursor += text.length;
    const after = this.getCursorPos();
    if (before.rows < after.rows) this._refreshLine();
    else this._writeToOutput(text);
  },

  _deleteLeft() {
    if (this.cursor <= 0 || this.line.length === 0) return;
    this._beforeEdit(this.line, this.cursor);
    const size = lengthBefore(this.line, this.cursor);
    this.line = this.line.slice(0, this.cursor - size) + this.line.slice(this.cursor);
    this.cursor -= size;
    this._refreshLine();
  },

  _deleteRight() {
    if (this.cursor >= this.line.length) return;
    this._beforeEdit(this.line, this.cursor);
    const size = lengthAt(this.line, this.cursor);
    this.line = this.line.slice(0, this.cursor) + this.line.slice(this.cursor + size);
    this._refreshLine();
  },

  _wordLeft() {
    if (this.cursor === 0) return;
    const match = kWordLeft.exec(reverse(this.line.slice(0, this.cursor)));
    this._moveCursor(-match[0].length);
  },

  _wordRight() {
    if (this.cursor >= this.line.length) return;
    const match = kWordRight.exec(this.line.slice(this.cursor));
    this._moveCursor(match[0].length);
  },

  _deleteWordLeft() {
    if (this.cursor === 0) return;
    this._beforeEdit(this.line, this.cursor);
    const leading = this.line.slice(0, this.cursor);
    const match = kWordLeft.exec(reverse(leading));
    const kept = leading.slice(0, leading.length - match[0].length);
    this.line = kept + this.line.slice(this.cursor);
    this.cursor = kept.length;
    this._refreshLine();
  },

  _deleteWordRight() {
    if (this.cursor >= this.line.length) return;
    this._beforeEdit(this.line, this.cursor);
    const trailing = this.line.slice(this.cursor);
    const match = /^(?:\s+|\W+|\w+)\s*/.exec(trailing);
    this.line = this.line.slice(0, this.cursor) + trailing.slice(match[0].length);
    this._refreshLine();
  },

  _deleteLineLeft() {
    this._beforeEdit(this.line, this.cursor);
    const deleted = this.line.slice(0, this.cursor);
    this.line = this.line.slice(this.cursor);
    this.cursor = 0;
    this._pushToKillRing(deleted);
    this._refreshLine();
  },

  _deleteLineRight() {
    this._beforeEdit(this.line, this.cursor);
    const deleted = this.line.slice(this.cursor);
    this.line = this.line.slice(0, this.cursor);
    this._pushToKillRing(deleted);
    this._refreshLine();
  },

  _pushToKillRing(text) {
    if (!text || text === this._killRing[0]) return;
    this._killRing.unshift(text);
    this._killRingCursor = 0;
    while (this._killRing.length > kMaxKills) this._killRing.pop();
  },

  _yank() {
    if (this._killRing.length === 0) return;
    this._yanking = true;
    this._insertString(this._killRing[this._killRingCursor]);
  },

  /** Puts the kill before in place of the one just yanked. */
  _yankPop() {
    if (!this._yanking || this._killRing.length <= 1) return;
    const last = this._killRing[this._killRingCursor];
    this._killRingCursor = (this._killRingCursor + 1) % this._killRing.length;
    const head = this.line.slice(0, this.cursor - last.length);
    const tail = this.line.slice(this.cursor);
    const text = this._killRing[this._killRingCursor];
    this.line = head + text + tail;
    this.cursor = head.length + text.length;
    this._refreshLine();
  },

  _undo() {
    if (this._undoStack.length === 0) return;
    this._redoStack.push({ text: this.line, cursor: this.cursor });
    this._show(this._undoStack.pop());
  },

  _redo() {
    if (this._redoStack.length === 0) return;
    this._undoStack.push({ text: this.line, cursor: this.cursor });
    this._show(this._redoStack.pop());
  },

  _show({ text, cursor }) {
    this.line = text;
    this.cursor = cursor;
    this._refreshLine();
  },

  // --- the line as a whole ---

  _line() {
    const line = this._addHistory();
    this._undoStack = [];
    this._redoStack = [];
    this.clearLine();
    this._onLine(line);
  },

  _historyPrev() {
    this._walkHistory('previous');
  },

  _historyNext() {
    this._walkHistory('next');
  },

  _walkHistory(direction) {
    const { kHistory } = require('#readline/interface');
    const line = this[kHistory][direction](this.line);
    if (line === undefined) return;
    this._beforeEdit(this.line, this.cursor);
    this.line = line;
    this.cursor = line.length;
    this._refreshLine();
  },

  // --- keys ---

  _ttyWrite(s, key) {
    const { kHistory } = require('#readline/interface');
    const history = this[kHistory];
    const previousKey = this._previousKey;
    key ||= {};
    this._previousKey = key;
    if (!key.meta || key.name !== 'y') this._yanking = false;
    // Up and down search for lines that begin with what was typed.
    if ((key.name === 'up' || key.name === 'down') && !key.ctrl && !key.meta && !key.shift) {
      history.begin(this.line.slice(0, this.cursor));
    } else if (history.prefix !== null) {
      history.end();
      if (this.line.length === this.cursor) history.index = -1;
    }
    // Control and underscore undo, control and caret redo; not every terminal says so in the key.
    switch (key.sequence) {
      case '\u001F':
        return this._undo();
      case '\u001E':
        return this._redo();
    }
    if (key.name === 'escape') return;
    if (key.ctrl && key.shift) {
      if (key.name === 'backspace') this._deleteLineLeft();
      else if (key.name === 'delete') this._deleteLineRight();
    } else if (key.ctrl) {
      this._controlKey(key);
    } else if (key.meta) {
      this._metaKey(key);
    } else {
      this._plainKey(s, key, previousKey);
    }
  },

  _controlKey(key) {
    switch (key.name) {
      case 'c':
        if (this.listenerCount('SIGINT') > 0) this.emit('SIGINT');
        else this.close();
        break;
      case 'h':
        this._deleteLeft();
        break;
      case 'd':
        if (this.cursor === 0 && this.line.length === 0) this.close();
        else if (this.cursor < this.line.length) this._deleteRight();
        break;
      case 'u':
        this._deleteLineLeft();
        break;
      case 'k':
        this._deleteLineRight();
        break;
      case 'a':
        this._moveCursor(-Infinity);
        break;
      case 'e':
        this._moveCursor(+Infinity);
        break;
      case 'b':
        this._moveCursor(-lengthBefore(this.line, this.cursor));
        break;
      case 'f':
        this._moveCursor(+lengthAt(this.line, this.cursor));
        break;
      case 'l':
        cursorTo(this.output, 0, 0);
        clearScreenDown(this.output);
        this._refreshLine();
        break;
      case 'n':
        this._historyNext();
        break;
      case 'p':
        this._historyPrev();
        break;
      case 'y':
        this._yank();
        break;
      case 'z':
        this._suspend();
        break;
      case 'w':
      case 'backspace':
        this._deleteWordLeft();
        break;
      case 'delete':
        this._deleteWordRight();
        break;
      case 'left':
        this._wordLeft();
        break;
      case 'right':
        this._wordRight();
        break;
    }
  },

  _suspend() {
    if (this.listenerCount('SIGTSTP') > 0) {
      this.emit('SIGTSTP');
      return;
    }
    process.once('SIGCONT', () => {
      // Nothing to draw on if the program paused it itself.
      if (!this.paused) {
        this.pause();
        this.emit('SIGCONT');
      }
      this._setRawMode(true);
      this._refreshLine();
    });
    this._setRawMode(false);
    process.kill(process.pid, 'SIGTSTP');
  },

  _metaKey(key) {
    switch (key.name) {
      case 'b':
        this._wordLeft();
        break;
      case 'f':
        this._wordRight();
        break;
      case 'd':
      case 'delete':
        this._deleteWordRight();
        break;
      case 'backspace':
        this._deleteWordLeft();
        break;
      case 'y':
        this._yankPop();
        break;
    }
  },

  _plainKey(s, key, previousKey) {
    // A carriage return and a line feed soon after it are one end of line.
    if (this._sawReturnAt && key.name !== 'enter') this._sawReturnAt = 0;
    switch (key.name) {
      case 'return':
        this._sawReturnAt = Date.now();
        this._line();
        break;
      case 'enter':
        if (this._sawReturnAt === 0 || Date.now() - this._sawReturnAt > this.crlfDelay) this._line();
        this._sawReturnAt = 0;
        break;
      case 'backspace':
        this._deleteLeft();
        break;
      case 'delete':
        this._deleteRight();
        break;
      case 'left':
        this._moveCursor(-lengthBefore(this.line, this.cursor));
        break;
      case 'right':
        this._moveCursor(+lengthAt(this.line, this.cursor));
        break;
      case 'home':
        this._moveCursor(-Infinity);
        break;
      case 'end':
        this._moveCursor(+Infinity);
        break;
      case 'up':
        this._historyPrev();
        break;
      case 'down':
        this._historyNext();
        break;
      case 'tab':
        if (typeof this.completer === 'function' && this.isCompletionEnabled) {
          this._tabComplete(previousKey?.name === 'tab');
          break;
        }
      // falls through
      default:
        this._typed(s);
    }
  },

  /** Text, perhaps of several lines when it was pasted. */
  _typed(s) {
    if (typeof s !== 'string' || !s) return;
    const { kHistory } = require('#readline/interface');
    this[kHistory].index = -1;
    const lines = s.split(kLineEnding);
    const rest = lines.pop();
    for (const line of lines) {
      this._insertString(line);
      this._line();
    }
    if (rest.length > 0) this._insertString(rest);
  },
};

/** @param {object} prototype */
function addTo(prototype) {
  for (const name of Object.keys(editing)) {
    Object.defineProperty(prototype, name, {
      __proto__: null,
      configurable: true,
      enumerable: name.startsWith('_'),
      writable: true,
      value: editing[name],
    });
  }
}

module.exports = { addTo };

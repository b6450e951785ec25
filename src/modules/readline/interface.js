'use strict';

// readline's Interface: lines out of a stream, and, on a terminal, an editor for the line that is being typed (editing.js).

const EventEmitter = require('events');
const { StringDecoder } = require('string_decoder');
const {
  AbortError,
  codes: { ERR_INVALID_ARG_VALUE, ERR_USE_AFTER_CLOSE },
} = require('#internal/errors');
const {
  validateAbortSignal,
  validateString,
  validateUint32,
} = require('#internal/validators');
const { emitKeypressEvents } = require('#readline/emit_keypress');
const { History } = require('#readline/history');

const kMinCrlfDelay = 100;
const kEscapeCodeTimeout = 500;
const kTabSize = 8;
const kLineEnding = /\r?\n|\r(?!\n)|\u2028|\u2029/g;
const kMaxWaitingLines = 1024;
const kWatermarks = Symbol.for('nodejs.watermarkData');

const kUnlisten = Symbol('unlisten');
const kHistory = Symbol('history');

function isOptions(input) {
  return input?.input !== undefined || (input !== null && typeof input === 'object' && input.input === null);
}

function readOptions(input, output, completer, terminal) {
  if (!isOptions(input)) return { input, output, completer, terminal };
  const options = input;
  if (options.signal) validateAbortSignal(options.signal, 'options.signal');
  if (options.escapeCodeTimeout !== undefined) {
    if (!Number.isFinite(options.escapeCodeTimeout)) {
      throw new ERR_INVALID_ARG_VALUE('input.escapeCodeTimeout', options.escapeCodeTimeout);
    }
  }
  if (options.tabSize !== undefined) validateUint32(options.tabSize, 'tabSize', true);
  return options;
}

function Interface(input, output, completer, terminal) {
  if (!(this instanceof Interface)) return new Interface(input, output, completer, terminal);
  EventEmitter.call(this);
  const options = readOptions(input, output, completer, terminal);
  if (options.completer !== undefined && typeof options.completer !== 'function') {
    throw new ERR_INVALID_ARG_VALUE('completer', options.completer);
  }
  this._sawReturnAt = 0;
  this.isCompletionEnabled = true;
  this._sawKeyPress = false;
  this._previousKey = null;
  this.escapeCodeTimeout = options.escapeCodeTimeout ?? kEscapeCodeTimeout;
  this.tabSize = options.tabSize ?? kTabSize;
  this[kHistory] = new History(options);
  this._prompt = options.prompt !== undefined ? `${options.prompt}` : '> ';
  this.line = '';
  this.output = options.output;
  this.input = options.input;
  this.crlfDelay = options.crlfDelay ? Math.max(kMinCrlfDelay, options.crlfDelay) : kMinCrlfDelay;
  this.completer = options.completer;
  this.terminal = Boolean(options.terminal === undefined && options.output != null ? options.output.isTTY : options.terminal);
  this._questionCallback = null;
  this._line_buffer = null;
  if (this.terminal) startTerminal(this);
  else startPlain(this);
  if (options.signal) closeOnAbort(this, options.signal);
  this.input.resume();
}
Object.setPrototypeOf(Interface.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Interface, EventEmitter);

for (const [name, key] of [['history', 'lines'], ['historyIndex', 'index'], ['historySize', 'size']]) {
  Object.defineProperty(Interface.prototype, name, {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() { return this[kHistory][key]; },
    set(value) { this[kHistory][key] = value; },
  });
}

function closeOnAbort(rl, signal) {
  const onAborted = () => rl.close();
  if (signal.aborted) return void process.nextTick(onAborted);
  signal.addEventListener('abort', onAborted, { once: true });
  rl.once('close', () => signal.removeEventListener('abort', onAborted));
}

function unlistenOnClose(rl, input, listeners) {
  rl[kUnlisten] = () => {
    for (const [event, listener, from] of listeners) (from ?? input).removeListener(event, listener);
  };
  rl.once('close', () => rl[kUnlisten]?.());
}

function startPlain(rl) {
  const { input } = rl;
  const onError = (error) => rl.emit('error', error);
  const onData = (data) => rl._normalWrite(data);
  const onEnd = () => {
    if (typeof rl._line_buffer === 'string' && rl._line_buffer.length > 0) rl.emit('line', rl._line_buffer);
    rl.close();
  };
  rl._decoder = new StringDecoder('utf8');
  input.on('error', onError);
  input.on('data', onData);
  input.on('end', onEnd);
  unlistenOnClose(rl, input, [['error', onError], ['data', onData], ['end', onEnd]]);
}

function startTerminal(rl) {
  const { input, output } = rl;
  const onError = (error) => rl.emit('error', error);
  const onKeypress = (s, key) => {
    rl._ttyWrite(s, key);
    // A lone character could be the half of one that takes two units.
    if (key?.sequence) {
      const code = key.sequence.codePointAt(0);
      if (code >= 0xd800 && code <= 0xdfff) rl._refreshLine();
    }
  };
  const onEnd = () => {
    if (typeof rl.line === 'string' && rl.line.length > 0) rl.emit('line', rl.line);
    rl.close();
  };
  const onResize = () => rl._refreshLine();
  emitKeypressEvents(input, rl);
  input.on('error', onError);
  input.on('keypress', onKeypress);
  input.on('end', onEnd);
  rl._setRawMode(true);
  rl.cursor = 0;
  rl.prevRows = 0;
  rl._killRing = [];
  rl._killRingCursor = 0;
  rl._undoStack = [];
  rl._redoStack = [];
  const listeners = [['error', onError], ['keypress', onKeypress], ['end', onEnd]];
  if (output != null) {
    output.on('resize', onResize);
    listeners.push(['resize', onResize, output]);
  }
  unlistenOnClose(rl, input, listeners);
}

Object.defineProperty(Interface.prototype, 'columns', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() { return this.output?.columns ? this.output.columns : Infinity; },
});

Interface.prototype.setPrompt = function (prompt) {
  this._prompt = prompt;
};

Interface.prototype.getPrompt = function () {
  return this._prompt;
};

Interface.prototype._setRawMode = function (mode) {
  const wasRaw = this.input.isRaw;
  if (typeof this.input.setRawMode === 'function') this.input.setRawMode(mode);
  return wasRaw;
};

/** @param {boolean} [preserveCursor] */
Interface.prototype.prompt = function (preserveCursor) {
  if (this.paused) this.resume();
  if (this.terminal && process.env.TERM !== 'dumb') {
    if (!preserveCursor) this.cursor = 0;
    this._refreshLine();
  } else {
    this._writeToOutput(this._prompt);
  }
};

/** Asks; the promise form and the callback form both end here. */
Interface.prototype._question = function (query, callback) {
  if (this.closed) throw new ERR_USE_AFTER_CLOSE('readline');
  if (this._questionCallback) {
    this.prompt();
    return;
  }
  this._oldPrompt = this._prompt;
  this.setPrompt(query);
  this._questionCallback = callback;
  this.prompt();
};

Interface.prototype._questionCancel = function () {
  if (!this._questionCallback) return;
  this._questionCallback = null;
  this.setPrompt(this._oldPrompt);
  this.clearLine();
};

/** @param {string} query @param {object} [options] @param {(answer: string) => void} callback */
Interface.prototype.question = function question(query, options, callback) {
  callback = typeof options === 'function' ? options : callback;
  if (options === null || typeof options !== 'object') options = {};
  if (options.signal) {
    validateAbortSignal(options.signal, 'options.signal');
    if (options.signal.aborted) return;
    const { signal } = options;
    const onAbort = () => this._questionCancel();
    signal.addEventListener('abort', onAbort, { once: true });
    const answered = callback;
    callback = typeof answered === 'function'
      ? (answer) => {
        signal.removeEventListener('abort', onAbort);
        return answered(answer);
      }
      : () => signal.removeEventListener('abort', onAbort);
  }
  if (typeof callback === 'function') this._question(query, callback);
};

Object.defineProperty(Interface.prototype.question, Symbol.for('nodejs.util.promisify.custom'), {
  __proto__: null,
  enumerable: false,
  value: function question(query, options) {
    if (options === null || typeof options !== 'object') options = {};
    if (options.signal?.aborted) {
      return Promise.reject(new AbortError(undefined, { cause: options.signal.reason }));
    }
    return new Promise((resolve, reject) => {
      let answered = resolve;
      if (options.signal) {
        const { signal } = options;
        const onAbort = () => reject(new AbortError(undefined, { cause: signal.reason }));
        signal.addEventListener('abort', onAbort, { once: true });
        answered = (answer) => {
          signal.removeEventListener('abort', onAbort);
          resolve(answer);
        };
      }
      this.question(query, options, answered);
    });
  },
});

Interface.prototype._onLine = function (line) {
  if (!this._questionCallback) {
    this.emit('line', line);
    return;
  }
  const callback = this._questionCallback;
  this._questionCallback = null;
  this.setPrompt(this._oldPrompt);
  callback(line);
};

Interface.prototype._writeToOutput = function (text) {
  validateString(text, 'stringToWrite');
  if (this.output != null) this.output.write(text);
};

Interface.prototype._addHistory = function () {
  if (this.line.length === 0) return '';
  const history = this[kHistory];
  // Nothing is kept while a question's answer is typed without a history.
  if (!history.lines || history.size === 0) return this.line;
  const { line } = this;
  if (!history.add(line)) return line;
  // A listener may change what is kept.
  this.emit('history', history.lines);
  return history.lines[0];
};

Interface.prototype.close = function () {
  if (this.closed) return;
  this.pause();
  if (this.terminal) this._setRawMode(false);
  this.closed = true;
  this.emit('close');
};

Interface.prototype[Symbol.dispose] = Interface.prototype.close;

Interface.prototype.pause = function () {
  if (this.closed) throw new ERR_USE_AFTER_CLOSE('readline');
  if (this.paused) return this;
  this.input.pause();
  this.paused = true;
  this.emit('pause');
  return this;
};

Interface.prototype.resume = function () {
  if (this.closed) throw new ERR_USE_AFTER_CLOSE('readline');
  if (!this.paused) return this;
  this.input.resume();
  this.paused = false;
  this.emit('resume');
  return this;
};

/** Acts as if `data` or the key had been typed. */
Interface.prototype.write = function (data, key) {
  if (this.closed) throw new ERR_USE_AFTER_CLOSE('readline');
  if (this.paused) this.resume();
  if (this.terminal) this._ttyWrite(data, key);
  else this._normalWrite(data);
};

Interface.prototype._normalWrite = function (bytes) {
  if (bytes === undefined) return;
  let text = this._decoder.write(bytes);
  if (this._sawReturnAt && Date.now() - this._sawReturnAt <= this.crlfDelay) {
    if (text.codePointAt(0) === 10) text = text.slice(1);
    this._sawReturnAt = 0;
  }
  kLineEnding.lastIndex = 0;
  let match = kLineEnding.exec(text);
  if (match === null) {
    if (!text) return;
    this._line_buffer = this._line_buffer ? this._line_buffer + text : text;
    return;
  }
  if (this._line_buffer) {
    text = this._line_buffer + text;
    this._line_buffer = null;
    kLineEnding.lastIndex = 0;
    match = kLineEnding.exec(text);
  }
  this._sawReturnAt = text.endsWith('\r') ? Date.now() : 0;
  const lines = [];
  let start = 0;
  for (; match !== null; match = kLineEnding.exec(text)) {
    lines.push(text.slice(start, match.index));
    start = kLineEnding.lastIndex;
  }
  this._line_buffer = text.slice(start);
  for (const line of lines) this._onLine(line);
};

/** The lines from now on. Reading pauses while too many wait to be taken. */
Interface.prototype[Symbol.asyncIterator] = function () {
  return (this._lineIterator ??= new LineIterator(this));
};

class LineIterator {
  #rl;
  #lines = [];
  #takers = [];
  #ended;
  #error;
  #paused = false;

  constructor(rl) {
    this.#rl = rl;
    this.#ended = Boolean(rl.closed);
    rl.on('line', (line) => this.#add(line));
    rl.on('close', () => this.#end());
    rl.input?.on?.('error', () => {});
    rl.on('error', (error) => {
      this.#error ??= { error };
      this.#end();
    });
  }

  #add(line) {
    if (this.#ended) return;
    const taker = this.#takers.shift();
    if (taker !== undefined) return taker.resolve({ value: line, done: false });
    this.#lines.push(line);
    if (this.#lines.length > kMaxWaitingLines && !this.#paused && !this.#rl.closed) {
      this.#paused = true;
      this.#rl.pause();
    }
  }

  #end() {
    this.#ended = true;
    for (const { resolve, reject } of this.#takers.splice(0)) {
      if (this.#error) {
        reject(this.#error.error);
        this.#error = undefined;
      } else {
        resolve({ value: undefined, done: true });
      }
    }
  }

  /** How full the queue is, for those who tune. */
  get [kWatermarks]() {
    const size = () => this.#lines.length;
    const isPaused = () => this.#paused;
    return {
      get size() { return size(); },
      get low() { return 1; },
      get high() { return kMaxWaitingLines; },
      get isPaused() { return isPaused(); },
    };
  }

  next() {
    if (this.#lines.length > 0) {
      const value = this.#lines.shift();
      if (this.#paused && this.#lines.length === 0 && !this.#rl.closed) {
        this.#paused = false;
        this.#rl.resume();
      }
      return Promise.resolve({ value, done: false });
    }
    if (this.#error) {
      const { error } = this.#error;
      this.#error = undefined;
      return Promise.reject(error);
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    const taker = Promise.withResolvers();
    this.#takers.push(taker);
    return taker.promise;
  }

  return() {
    this.#end();
    this.#lines = [];
    this.#rl.close();
    return Promise.resolve({ value: undefined, done: true });
  }

  throw(error) {
    this.#error = { error };
    return this.return();
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

module.exports = { Interface, kHistory };

require('#readline/editing').addTo(Interface.prototype);
require('#readline/completion').addTo(Interface.prototype);

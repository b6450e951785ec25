'use strict';

// node:repl: the server that reads inputs, evaluates them and prints what comes out.

const { Interface } = require('#readline/interface');
const {
  codes: { ERR_INVALID_REPL_EVAL_CONFIG, ERR_INVALID_REPL_INPUT },
} = require('#internal/errors');
const { validateFunction, validateObject } = require('#internal/validators');
const { deprecate } = require('#internal/util');
const { Recoverable, evaluate, resourceName } = require('#repl/evaluate');
const { isValidSyntax } = require('#repl/recoverable');

const REPL_MODE_SLOPPY = Symbol('repl-sloppy');
const REPL_MODE_STRICT = Symbol('repl-strict');
const kMultilinePrompt = '| ';
const kStandalone = Symbol('kStandaloneREPL');
const kBuffered = Symbol('bufferedCommand');
const kHeld = Symbol('held');

const kSeenDomainErrors = new WeakSet();

const builtinModules = () => require('module').builtinModules.filter((name) => !name.startsWith('_'));
let builtinLibs;
const getBuiltinLibs = () => (builtinLibs ??= builtinModules());

/** @param {unknown} value @returns {string} what is printed of a result */
function writer(value) {
  return require('util').inspect(value, writer.options);
}
writer.options = { showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: true, maxArrayLength: 100,
  maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false };

function readOptions(prompt, stream, evalFunction, useGlobal, ignoreUndefined, replMode) {
  if (prompt === null || typeof prompt !== 'object') {
    return { prompt, stream, eval: evalFunction, useGlobal, ignoreUndefined, replMode };
  }
  return { ...prompt };
}

function readStreams(options) {
  const { stream } = options;
  if (!options.input && !options.output) {
    if (stream) {
      options.input = stream.stdin || stream;
      options.output = stream.stdout || stream;
    } else {
      options.input = process.stdin;
      options.output = process.stdout;
    }
  }
  if (options.terminal === undefined) options.terminal = options.output.isTTY;
  options.terminal = Boolean(options.terminal);
  if (options.terminal && options.useColors === undefined) {
    // Colours where the terminal has them.
    const { output } = options;
    options.useColors = Boolean(output.isTTY) && (typeof output.getColorDepth !== 'function' || output.getColorDepth() > 2);
  }
}

function REPLServer(prompt, stream, evalFunction, useGlobal, ignoreUndefined, replMode) {
  if (!(this instanceof REPLServer)) {
    deprecatedCall();
    return new REPLServer(prompt, stream, evalFunction, useGlobal, ignoreUndefined, replMode);
  }
  const options = readOptions(prompt, stream, evalFunction, useGlobal, ignoreUndefined, replMode);
  readStreams(options);
  if (options.breakEvalOnSigint && options.eval) throw new ERR_INVALID_REPL_EVAL_CONFIG();
  this.allowBlockingCompletions = Boolean(options.allowBlockingCompletions);
  this.useColors = Boolean(options.useColors);
  this._domain = options.domain || require('domain').create();
  this.useGlobal = Boolean(options.useGlobal);
  this.ignoreUndefined = Boolean(options.ignoreUndefined);
  this.replMode = options.replMode || REPL_MODE_SLOPPY;
  this.underscoreAssigned = false;
  this.last = undefined;
  this.underscoreErrAssigned = false;
  this.lastError = undefined;
  this.breakEvalOnSigint = Boolean(options.breakEvalOnSigint);
  this.editorMode = false;
  this[kStandalone] = Boolean(options[kStandalone]);
  this[kBuffered] = '';
  this[kHeld] = null;
  Object.defineProperty(this, 'interruptions', { __proto__: null, value: new Set(), enumerable: false });
  this.eval = this._domain.bind(options.eval || evaluate);
  this._domain.on('error', (error) => require('#repl/failures').onUncaught(this, error, this[kStandalone]));
  refuseUncaughtListeners(this);

  const text = options.prompt ?? '> ';
  Interface.call(this, {
    input: options.input,
    output: options.output,
    completer: completerOf(this, options.completer),
    terminal: options.terminal,
    historySize: options.historySize,
    prompt: text,
  });
  this._initialPrompt = `${text}`;
  Object.defineProperty(this, 'inputStream', { __proto__: null, configurable: true, enumerable: false,
    get: deprecate(() => this.input, 'repl.inputStream and repl.outputStream are deprecated. Use repl.input and repl.output instead', 'DEP0141') });
  Object.defineProperty(this, 'outputStream', { __proto__: null, configurable: true, enumerable: false,
    get: deprecate(() => this.output, 'repl.inputStream and repl.outputStream are deprecated. Use repl.input and repl.output instead', 'DEP0141') });
  const server = this;
  Object.defineProperty(this, 'historyManager', { __proto__: null, enumerable: false, configurable: true,
    value: { get isFlushing() { return Boolean(server.historyFlushing); } } });
  this.resetContext();
  this.commands = { __proto__: null };
  require('#repl/commands').defineCommands(this);
  this.writer = options.writer || module.exports.writer;
  if (this.writer === writer) {
    // The options are the server's own as far as colours go.
    writer.options.colors = this.useColors;
  }
  listen(this);
  this.displayPrompt();
}
Object.setPrototypeOf(REPLServer.prototype, Interface.prototype);
Object.setPrototypeOf(REPLServer, Interface);
REPLServer.kStrict = REPL_MODE_STRICT;
Object.defineProperty(REPLServer, 'kStrict', { __proto__: null, enumerable: false });

/** The program's own completer may answer at once. */
function completerOf(server, own) {
  if (own === undefined) {
    return (line, callback) => {
      require('#repl/completion').complete(server, line, server.editorMode ? server.completeOnEditorMode(callback) : callback);
    };
  }
  if (typeof own !== 'function' || own.length === 2) return own;
  return (line, callback) => callback(null, own(line));
}

const deprecatedCall = deprecate(
  () => {},
  "Instantiating REPLServer without the 'new' keyword has been deprecated.",
  'DEP0185',
);

/** Errors belong to the loop: inputs of one that is not the program itself may not listen for them. */
function refuseUncaughtListeners(server) {
  if (server[kStandalone]) return;
  const domain = server._domain;
  if (kSeenDomainErrors.has(domain)) return;
  kSeenDomainErrors.add(domain);
  const refuse = (event) => {
    if (event === 'uncaughtException' && process.domain && process.domain === domain) {
      throw new ERR_INVALID_REPL_INPUT('Listeners for `uncaughtException` cannot be used in the REPL');
    }
  };
  process.prependListener('newListener', refuse);
  domain.once('closed', () => process.removeListener('newListener', refuse));
  server.once?.('exit', () => process.removeListener('newListener', refuse));
}

// --- input ---------------------------------------------------------------------------------------------------------

function listen(server) {
  let sawSigint = false;
  server.on('close', () => {
    if (server[kHeld] !== null) server[kHeld].push(() => server.emit('exit'));
    else server.emit('exit');
  });
  server.on('SIGINT', () => {
    if (server.interruptions.size > 0) {
      for (const stop of [...server.interruptions]) stop();
      server.interruptions.clear();
      return;
    }
    const empty = server.line.length === 0;
    server.clearLine();
    server.leaveEditorMode({ keep: true });
    if (!server[kBuffered] && empty) {
      if (sawSigint) {
        server.close();
        sawSigint = false;
        return;
      }
      server.output.write('(To exit, press Ctrl+C again or Ctrl+D or type .exit)\n');
      sawSigint = true;
    } else {
      sawSigint = false;
    }
    server.clearBufferedCommand();
    server.lines.level = [];
    server.displayPrompt();
  });
  server.on('line', (line) => {
    sawSigint = false;
    if (server[kHeld] !== null) server[kHeld].push(() => onLine(server, line || ''));
    else onLine(server, line || '');
  });
  server.on('SIGCONT', () => {
    if (server.editorMode) {
      server.output.write(`${server._initialPrompt}.editor\n`);
      server.output.write('// Entering editor mode (Ctrl+D to finish, Ctrl+C to cancel)\n');
      server.output.write(`${server[kBuffered]}\n`);
      server.prompt(true);
    } else {
      server.displayPrompt(true);
    }
  });
  const { _ttyWrite: ttyWrite } = server;
  server._ttyWrite = (s, key) => onKey(server, ttyWrite, s, key);
}

function onKey(server, ttyWrite, s, key) {
  key ||= {};
  // While an input is awaited, keys wait; Ctrl+C does not.
  if (server[kHeld] !== null && !(server.breakEvalOnSigint && key.ctrl && key.name === 'c')) {
    server[kHeld].push(() => server._ttyWrite(s, key));
    return;
  }
  if (!server.editorMode || !server.terminal) {
    // Ctrl+D on what is not empty is no end.
    ttyWrite.call(server, s, key);
    return;
  }
  if (key.ctrl && !key.shift) {
    if (key.name === 'd') {
      server.leaveEditorMode();
      server.sawEnd = true;
      ttyWrite.call(server, s, { name: 'return' });
      return;
    }
    if (key.name === 'n' || key.name === 'p') return;
  } else if (key.name === 'up' || key.name === 'down') {
    return;
  }
  ttyWrite.call(server, s, key);
}

function onLine(server, line) {
  if (server.editorMode) {
    server[kBuffered] += `${line}\n`;
    alignEditor(server, line);
    return;
  }
  const trimmed = line.trim();
  if (trimmed && isCommand(trimmed)) {
    const [, keyword, rest] = /^\.([^\s]+)\s*(.*)$/.exec(trimmed) ?? [];
    if (keyword && runCommand(server, keyword, rest)) return;
    if (!server[kBuffered]) {
      server.output.write('Invalid REPL keyword\n');
      return finish(server, line, [null]);
    }
  }
  server.eval(`${server[kBuffered]}${line}\n`, server.context, resourceName(), (...results) => finish(server, line, results));
}

/** ".5" and "...x" are no commands. */
const isCommand = (text) => text[0] === '.' && text[1] !== '.' && Number.isNaN(Number.parseFloat(text));

function runCommand(server, keyword, rest) {
  const command = server.commands[keyword];
  if (!command) return false;
  command.action.call(server, rest);
  return true;
}

/** The next line of the editor begins where the present one did. */
function alignEditor(server, line) {
  const [prefix] = (server._sawKeyPress && !server.isLoading && /^\s+/.exec(line)) || [];
  if (prefix === undefined) return;
  server.write(prefix);
  server.line = prefix;
  server.cursor = prefix.length;
}

function finish(server, line, results) {
  const [error, result] = results;
  if (error instanceof Recoverable && !server.sawEnd) {
    server[kBuffered] += `${line}\n`;
    server.lines.push(line);
    server.displayPrompt();
    return;
  }
  if (error && !server[kBuffered] && line.trim().startsWith('npm ')) {
    server.output.write('npm should be run outside of the Node.js REPL, in your normal shell.\n(Press Ctrl+D to exit.)\n');
    server.displayPrompt();
    return;
  }
  if (server.sawEnd) server.lines.push(`${server[kBuffered]}${line}`);
  else if (line.length > 0 || server[kBuffered]) server.lines.push(line);
  server.sawEnd = false;
  if (error) {
    server._domain.emit('error', error.err || error);
    return;
  }
  server.clearBufferedCommand();
  if (results.length === 2 && (!server.ignoreUndefined || result !== undefined)) {
    if (!server.underscoreAssigned) server.last = result;
    server.output.write(`${server.writer(result)}\n`);
  }
  if (!server.closed) server.displayPrompt();
}

/** While an awaited input is under way, keys and the end wait. */
REPLServer.prototype.hold = function () {
  this[kHeld] ??= [];
};

REPLServer.prototype.release = function () {
  const held = this[kHeld];
  this[kHeld] = null;
  for (const task of held ?? []) {
    if (this[kHeld] !== null) this[kHeld].push(task);
    else task();
  }
};

REPLServer.prototype.enterEditorMode = function ({ isLoading = false } = {}) {
  Interface.prototype.setPrompt.call(this, '');
  this.isLoading = isLoading;
  this.editorMode = true;
};

REPLServer.prototype.leaveEditorMode = function () {
  if (!this.editorMode) return;
  this.editorMode = false;
  this.isLoading = false;
  Interface.prototype.setPrompt.call(this, this._initialPrompt);
};

for (const name of ['hold', 'release', 'enterEditorMode', 'leaveEditorMode']) {
  Object.defineProperty(REPLServer.prototype, name, { __proto__: null, enumerable: false });
}

// --- the public methods --------------------------------------------------------------------------------------------

/** Keeps inputs in a file between sessions. */
REPLServer.prototype.setupHistory = function setupHistory(historyConfig = {}, callback = undefined) {
  require('#repl/history_file').setup(this, historyConfig, callback);
};

REPLServer.prototype.clearBufferedCommand = function clearBufferedCommand() {
  this[kBuffered] = '';
};

REPLServer.prototype.close = function close() {
  if (this.terminal && this.historyFlushing && !this.closingAfterFlush) {
    this.closingAfterFlush = true;
    this.once('flushHistory', () => Interface.prototype.close.call(this));
    return;
  }
  process.nextTick(() => {
    if (!this.closed) Interface.prototype.close.call(this);
  });
};

REPLServer.prototype.createContext = function () {
  return require('#repl/context').createContext(this);
};

REPLServer.prototype.resetContext = function () {
  this.context = this.createContext();
  this.underscoreAssigned = false;
  this.underscoreErrAssigned = false;
  this.lines = [];
  this.lines.level = [];
  defineUnderscore(this, '_', 'last', 'underscoreAssigned', 'Expression assignment to _ now disabled.\n');
  defineUnderscore(this, '_error', 'lastError', 'underscoreErrAssigned', 'Expression assignment to _error now disabled.\n');
  this.emit('reset', this.context);
};

function defineUnderscore(server, name, key, assigned, notice) {
  Object.defineProperty(server.context, name, {
    __proto__: null,
    configurable: true,
    get: () => server[key],
    set(value) {
      server[key] = value;
      if (server[assigned]) return;
      server[assigned] = true;
      server.output.write(notice);
    },
  });
}

REPLServer.prototype.displayPrompt = function (preserveCursor) {
  if (this[kBuffered].length > 0) {
    const level = this.lines.level.length ? '..'.repeat(this.lines.level.length) : '';
    Interface.prototype.setPrompt.call(this, kMultilinePrompt + level);
  } else {
    Interface.prototype.setPrompt.call(this, this._initialPrompt);
  }
  this.prompt(preserveCursor);
};

REPLServer.prototype.setPrompt = function setPrompt(prompt) {
  this._initialPrompt = prompt;
  Interface.prototype.setPrompt.call(this, prompt);
};

REPLServer.prototype.complete = function (...args) {
  this.completer(...args);
};

/** In the editor a tab completes only where there is something to complete. */
REPLServer.prototype.completeOnEditorMode = function (callback) {
  return (error, results) => {
    if (error) return callback(error);
    const [completions, on = ''] = results;
    let result = completions.filter(Boolean);
    if (on && result.length !== 0) result = [commonPrefix(result)];
    callback(null, [result, on]);
  };
};

function commonPrefix(strings) {
  const sorted = strings.toSorted();
  const [first] = sorted;
  const last = sorted.at(-1);
  let length = 0;
  while (length < first.length && first[length] === last[length]) length++;
  return first.slice(0, length);
}

/** @param {string} keyword @param {Function | { help?: string, action: Function }} command */
REPLServer.prototype.defineCommand = function (keyword, command) {
  if (typeof command === 'function') command = { action: command };
  else {
    validateObject(command, 'cmd');
    validateFunction(command.action, 'cmd.action');
  }
  this.commands[keyword] = command;
};

function start(prompt, source, evalFunction, useGlobal, ignoreUndefined, replMode) {
  return new REPLServer(prompt, source, evalFunction, useGlobal, ignoreUndefined, replMode);
}

module.exports = {
  start,
  writer,
  REPLServer,
  REPL_MODE_SLOPPY,
  REPL_MODE_STRICT,
  Recoverable,
  isValidSyntax,
};

Object.defineProperties(module.exports, {
  builtinModules: {
    __proto__: null,
    configurable: true,
    enumerable: false,
    get: deprecate(getBuiltinLibs, 'repl.builtinModules is deprecated. Check module.builtinModules instead', 'DEP0191', true),
    set: deprecate((value) => { builtinLibs = value; }, 'repl.builtinModules is deprecated. Check module.builtinModules instead', 'DEP0191', true),
  },
  _builtinLibs: {
    __proto__: null,
    configurable: true,
    enumerable: false,
    get: deprecate(getBuiltinLibs, 'repl._builtinLibs is deprecated. Check module.builtinModules instead', 'DEP0142', true),
    set: deprecate((value) => { builtinLibs = value; }, 'repl._builtinLibs is deprecated. Check module.builtinModules instead', 'DEP0142', true),
  },
});

Object.defineProperty(module.exports, 'kStandalone', {
  __proto__: null, enumerable: false, value: kStandalone,
});
Object.defineProperty(module.exports, 'libraries', {
  __proto__: null, enumerable: false, value: getBuiltinLibs,
});

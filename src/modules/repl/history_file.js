'use strict';

// Inputs kept in a file between sessions: ~/.node_repl_history, or what NODE_REPL_HISTORY says ("" for none).

const { kHistory } = require('#readline/interface');
const kDelay = 15;

function historyPath(configured) {
  if (typeof configured === 'string') return configured.trim() === '' ? undefined : configured;
  const path = require('path');
  const os = require('os');
  return path.join(os.homedir(), '.node_repl_history');
}

function warn(server, text) {
  server._writeToOutput(text);
  server._refreshLine();
}

const kDisabled = '\nPersistent history support disabled. Set the NODE_REPL_HISTORY environment\nvariable to a valid, ' +
  'user-writable path to enable.\n';

/** Who looks for earlier inputs in vain is told why, once. */
function tellDisabled(server) {
  Object.defineProperty(server, '_historyPrev', {
    __proto__: null,
    configurable: true,
    enumerable: false,
    writable: true,
    value() {
      delete server._historyPrev;
      if (server.history.length === 0) warn(server, kDisabled);
      else server._historyPrev();
    },
  });
}

/** @param {object} server @param {string | object} config a path, or options @param {Function} [callback] */
function setup(server, config, callback) {
  if (typeof config === 'string') config = { filePath: config };
  if (typeof config === 'function') [config, callback] = [{}, config];
  const done = callback ?? config.onHistoryFileLoaded ?? (() => {});
  if (config.size !== undefined) server.historySize = config.size;
  if (config.removeHistoryDuplicates) server[kHistory].removeDuplicates = true;
  if (typeof config.filePath === 'string' && config.filePath.trim() === '') {
    tellDisabled(server);
    return done(null, server);
  }
  let file;
  try {
    file = historyPath(config.filePath);
  } catch {
    warn(server, '\nError: Could not get the home directory.\nREPL session history will not be persisted.\n');
    tellDisabled(server);
    return done(null, server);
  }
  if (file === undefined) return done(null, server);
  server.pause();
  open(server, file, done);
}

function open(server, file, done) {
  const fs = require('fs');
  fs.readFile(file, { encoding: 'utf8', flag: 'a+', mode: 0o600 }, (error, text) => {
    if (error) {
      // The session goes on without a file.
      warn(server, '\nError: Could not open history file.\nREPL session history will not be persisted.\n');
      server.resume();
      tellDisabled(server);
      return done(null, server);
    }
    const lines = text.split(/[\n\r]+/).filter(Boolean);
    server.history = lines.slice(0, server.historySize);
    server.on('line', () => schedule(server, file));
    server.once('exit', () => {
      if (server.historyFlushing) server.once('flushHistory', () => {});
    });
    server.resume();
    done(null, server);
  });
}

function schedule(server, file) {
  server.historyFlushing = true;
  clearTimeout(server.historyTimer);
  Object.defineProperty(server, 'historyTimer', { __proto__: null, configurable: true, writable: true, enumerable: false,
    value: setTimeout(() => flush(server, file), kDelay) });
}

function flush(server, file) {
  require('fs').writeFile(file, `${server.history.join('\n')}\n`, { mode: 0o600 }, () => {
    server.historyFlushing = false;
    server.emit('flushHistory');
  });
}

module.exports = { setup };

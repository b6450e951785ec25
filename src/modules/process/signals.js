'use strict';

// process.on('SIGTERM') and the like: a signal is watched while somebody listens for it.

const watched = new Map();

function isSignal(event) {
  return typeof event === 'string' && require('os').constants.signals[event] !== undefined;
}

function startListening(event) {
  if (event === 'multipleResolves') {
    process.emitWarning('The multipleResolves event has been deprecated.', 'DeprecationWarning', 'DEP0160');
  }
  if (!isSignal(event) || watched.has(event)) return;
  const { Signal } = binding('signal');
  const number = require('os').constants.signals[event];
  const handle = new Signal();
  handle.unref();
  handle.onsignal = () => process.emit(event, event, number);
  const error = handle.start(number);
  if (error) {
    handle.close();
    const { errnoException } = require('#internal/errors');
    throw errnoException(error, 'uv_signal_start');
  }
  watched.set(event, handle);
}

function stopListening(event) {
  const handle = watched.get(event);
  if (handle === undefined || process.listenerCount(event) !== 0) return;
  handle.close();
  watched.delete(event);
}

module.exports = { startListening, stopListening };

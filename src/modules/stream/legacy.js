'use strict';

// Stream: the base of all, with the pipe() that predates Readable.

const EventEmitter = require('events');

function Stream(opts) {
  EventEmitter.call(this, opts);
}
Object.setPrototypeOf(Stream.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Stream, EventEmitter);

Stream.prototype.pipe = function(dest, options) {
  const source = this;

  function ondata(chunk) {
    if (dest.writable && dest.write(chunk) === false && source.pause) source.pause();
  }
  function ondrain() {
    if (source.readable && source.resume) source.resume();
  }
  let didEnd = false;
  function onend() {
    if (didEnd) return;
    didEnd = true;
    dest.end();
  }
  function onclose() {
    if (didEnd) return;
    didEnd = true;
    if (typeof dest.destroy === 'function') dest.destroy();
  }
  function onerror(er) {
    cleanup();
    if (EventEmitter.listenerCount(this, 'error') === 0) this.emit('error', er);
  }
  function cleanup() {
    source.removeListener('data', ondata);
    dest.removeListener('drain', ondrain);
    source.removeListener('end', onend);
    source.removeListener('close', onclose);
    source.removeListener('error', onerror);
    dest.removeListener('error', onerror);
    source.removeListener('end', cleanup);
    source.removeListener('close', cleanup);
    dest.removeListener('close', cleanup);
  }

  source.on('data', ondata);
  dest.on('drain', ondrain);
  // process.stdout and stderr stay open.
  if (!dest._isStdio && (!options || options.end !== false)) {
    source.on('end', onend);
    source.on('close', onclose);
  }
  prependListener(source, 'error', onerror);
  prependListener(dest, 'error', onerror);
  source.on('end', cleanup);
  source.on('close', cleanup);
  dest.on('close', cleanup);
  dest.emit('pipe', source);
  return dest;
};

Stream.prototype.eventNames = function eventNames() {
  const names = [];
  for (const key of Reflect.ownKeys(this._events)) {
    const listeners = this._events[key];
    const hasMany = Array.isArray(listeners) && listeners.length > 0;
    if (typeof listeners === 'function' || hasMany) names.push(key);
  }
  return names;
};

/** Adds a listener that comes before all, also on emitters of old that cannot do it themselves. */
function prependListener(emitter, event, fn) {
  if (typeof emitter.prependListener === 'function') {
    emitter.prependListener(event, fn);
    return;
  }
  const existing = emitter._events?.[event];
  if (!existing) emitter.on(event, fn);
  else if (Array.isArray(existing)) existing.unshift(fn);
  else emitter._events[event] = [fn, existing];
}

module.exports = { Stream, prependListener };

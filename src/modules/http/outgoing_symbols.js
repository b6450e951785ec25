'use strict';

// Hidden fields of messages that several files of this room use. kExchange is the native connection of a request or
// answer of the server core; kQuiet the turn in which an answer ended while nobody listened, see native_response.js;
// kLazyHead the field lines of a head that writeHead() left for later.

module.exports = {
  kBytesWritten: Symbol('kBytesWritten'),
  kChunkedBuffer: Symbol('kChunkedBuffer'),
  kChunkedLength: Symbol('kChunkedLength'),
  kClosed: Symbol('kClosed'),
  kContextFrame: Symbol('kAsyncContextFrame'),
  kCorked: Symbol('corked'),
  kDestroyed: Symbol('kDestroyed'),
  kErrored: Symbol('errored'),
  kExchange: Symbol('kExchange'),
  kFromCore: Symbol('kFromCore'),
  kHighWaterMark: Symbol('kHighWaterMark'),
  kLazyHead: Symbol('kLazyHead'),
  kNeedDrain: Symbol('kNeedDrain'),
  kOutHeaders: Symbol('kOutHeaders'),
  kQuiet: Symbol('kQuiet'),
  kRejectNonStandardBodyWrites: Symbol('kRejectNonStandardBodyWrites'),
  kSocket: Symbol('kSocket'),
  kUniqueHeaders: Symbol('kUniqueHeaders'),
};

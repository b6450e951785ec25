'use strict';

// Hidden fields of outgoing messages that several files of this room use.

module.exports = {
  kBytesWritten: Symbol('kBytesWritten'),
  kErrored: Symbol('errored'),
  kHighWaterMark: Symbol('kHighWaterMark'),
  kNeedDrain: Symbol('kNeedDrain'),
  kOutHeaders: Symbol('kOutHeaders'),
  kSocket: Symbol('kSocket'),
  kUniqueHeaders: Symbol('kUniqueHeaders'),
};

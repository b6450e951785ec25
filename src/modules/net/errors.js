'use strict';

// The errors of failed socket calls under the names that this room uses.

const {
  ErrnoException,
  ExceptionWithHostPort,
  UVExceptionWithHostPort,
  UVException,
  NodeAggregateError,
} = require('#internal/errors');

/** What a handle reports at the end of its stream; libuv's number. */
const UV_EOF = -4095;

/** One error for all the addresses of a host that could not be connected to. */
function connectionAggregate(errors) {
  return new NodeAggregateError(errors);
}

module.exports = {
  UV_EOF,
  errnoException: ErrnoException,
  hostPortException: ExceptionWithHostPort,
  uvHostPortException: UVExceptionWithHostPort,
  uvException: UVException,
  connectionAggregate,
};

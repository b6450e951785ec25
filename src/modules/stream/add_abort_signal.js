'use strict';

const {
  AbortError,
  codes: { ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');
const {
  isNodeStream, isWebStream, kControllerErrorFunction,
} = require('#stream/utils');

function validateAbortSignal(signal, name) {
  if (typeof signal !== 'object' || !('aborted' in signal)) {
    throw new ERR_INVALID_ARG_TYPE(name, 'AbortSignal', signal);
  }
}

/** Ties `stream` to `signal`: an abort destroys it. */
function addAbortSignal(signal, stream) {
  validateAbortSignal(signal, 'signal');
  if (!isNodeStream(stream) && !isWebStream(stream)) {
    throw new ERR_INVALID_ARG_TYPE('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);
  }
  return addAbortSignalNoValidate(signal, stream);
}

function addAbortSignalNoValidate(signal, stream) {
  if (typeof signal !== 'object' || !('aborted' in signal)) return stream;
  const onAbort = isNodeStream(stream) ?
    () => stream.destroy(new AbortError(undefined, { cause: signal.reason })) :
    () => stream[kControllerErrorFunction](new AbortError(undefined, { cause: signal.reason }));
  if (signal.aborted) {
    onAbort();
  } else {
    const disposable = require('events').addAbortListener(signal, onAbort);
    require('#stream/end_of_stream').eos(stream, disposable[Symbol.dispose]);
  }
  return stream;
}

module.exports = { addAbortSignal, addAbortSignalNoValidate };

'use strict';

// FileHandle.readableWebStream(): a byte stream that reads from where the handle stands.

const { codes: { ERR_INVALID_STATE } } = require('#internal/errors');
const { validateBoolean, validateObject } = require('#internal/validators');
const { kLocked, kRef, kUnref } = require('#fs/file_handle');

const kChunkSize = 16 * 1024;

/** @param {import('fs').promises.FileHandle} handle */
function readableWebStream(handle, options) {
  validateObject(options, 'options');
  const { type = 'bytes', autoClose = false } = options;
  validateBoolean(autoClose, 'options.autoClose');
  if (type !== 'bytes') {
    process.emitWarning('A non-"bytes" options.type has no effect. A byte-oriented steam is always created.',
      'ExperimentalWarning');
  }
  if (handle.fd === -1) throw new ERR_INVALID_STATE('The FileHandle is closed');
  if (handle[kLocked]) throw new ERR_INVALID_STATE('The FileHandle is locked');
  handle[kLocked] = true;
  let released = false;
  const release = async () => {
    if (released) return;
    released = true;
    handle[kUnref]();
    if (autoClose) await handle.close();
  };
  handle[kRef]();
  let ended = false;
  return new globalThis.ReadableStream({
    type: 'bytes',
    autoAllocateChunkSize: kChunkSize,
    start(controller) {
      // The handle was closed: nothing more will come.
      handle.once('close', () => {
        if (ended) return;
        ended = true;
        controller.close();
        controller.byobRequest?.respond(0);
        release();
      });
    },
    async pull(controller) {
      const { view } = controller.byobRequest;
      const { bytesRead } = await handle.read(view, 0, view.byteLength);
      if (ended) return;
      if (bytesRead === 0) {
        ended = true;
        controller.close();
        await release();
      }
      controller.byobRequest.respond(bytesRead);
    },
    async cancel() {
      ended = true;
      await release();
    },
  });
}

module.exports = { readableWebStream };

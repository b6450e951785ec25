'use strict';

// Heap snapshots: their options, and their text as a stream; of this thread (node:v8) and of workers.

function snapshotOptions(options = {}) {
  const { validateBoolean, validateObject } = require('#internal/validators');
  validateObject(options, 'options');
  const { exposeInternals = false, exposeNumericValues = false } = options;
  validateBoolean(exposeInternals, 'options.exposeInternals');
  validateBoolean(exposeNumericValues, 'options.exposeNumericValues');
  return [exposeInternals, exposeNumericValues];
}

/** A Readable of the snapshot's JSON. Once asked, it has all of it: read() gives the whole text. */
function streamOf(bytes) {
  const { Readable } = require('stream');
  class HeapSnapshotStream extends Readable {
    _read() {
      for (let start = 0; start < bytes.length; start += 64 * 1024) this.push(bytes.subarray(start, start + 64 * 1024));
      this.push(null);
    }
  }
  return new HeapSnapshotStream();
}

module.exports = { snapshotOptions, streamOf };

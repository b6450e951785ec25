'use strict';

// What handles in JavaScript share: all they are given to write becomes bytes, and one call of their writeBuffer().

class BytesHandle {
  /**
   * @abstract
   * @param {object} _request what is told of the outcome
   * @param {Uint8Array} _bytes
   * @returns {number} 0, or a negative errno
   */
  writeBuffer(_request, _bytes) {
    throw new Error('writeBuffer() is not there');
  }

  writeUtf8String(request, text) {
    return this.writeBuffer(request, Buffer.from(text, 'utf8'));
  }

  writeLatin1String(request, text) {
    return this.writeBuffer(request, Buffer.from(text, 'latin1'));
  }

  writev(request, buffers) {
    return this.writeBuffer(request, buffers.length === 1 ? buffers[0] : Buffer.concat(buffers));
  }
}

module.exports = { BytesHandle };

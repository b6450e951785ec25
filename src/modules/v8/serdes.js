'use strict';

// v8.serialize and its classes.

const { Serializer, Deserializer } = binding('serdes');
const {
  codes: { ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');
const { Buffer } = require('buffer');

Serializer.prototype._getDataCloneError = Error;

/** The next `length` bytes, without copying them. */
Deserializer.prototype.readRawBytes = function readRawBytes(length) {
  const offset = this._readRawBytes(length);
  return Buffer.from(this.buffer.buffer, this.buffer.byteOffset + offset, length);
};

// The place of each class is part of the format.
const viewTypes = [
  Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array,
  Float64Array, DataView, Buffer, BigInt64Array, BigUint64Array,
];
if (typeof Float16Array === 'function') viewTypes.push(Float16Array);
const kBufferIndex = viewTypes.indexOf(Buffer);

function typeIndexOf(view) {
  if (view instanceof Buffer) return kBufferIndex;
  const tag = Object.prototype.toString.call(view).slice(8, -1);
  return viewTypes.findIndex((type, index) => index !== kBufferIndex && type.name === tag);
}

class DefaultSerializer extends Serializer {
  constructor() {
    super();
    this._setTreatArrayBufferViewsAsHostObjects(true);
  }

  /** Array buffer views as what they show only: a Buffer is not to drag its pool along. */
  _writeHostObject(view) {
    const index = typeIndexOf(view);
    if (index === -1) {
      throw new this._getDataCloneError(`Unserializable host object: ${require('util').inspect(view)}`, view);
    }
    this.writeUint32(index);
    this.writeUint32(view.byteLength);
    this.writeRawBytes(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  }
}

class DefaultDeserializer extends Deserializer {
  _readHostObject() {
    const index = this.readUint32();
    const type = viewTypes[index];
    const length = this.readUint32();
    const offset = this._readRawBytes(length);
    const start = this.buffer.byteOffset + offset;
    if (index === kBufferIndex) return Buffer.from(this.buffer.buffer, start, length);
    const size = type.BYTES_PER_ELEMENT || 1;
    if (start % size === 0) return new type(this.buffer.buffer, start, length / size);
    // Not aligned in what was read.
    const copy = new Uint8Array(length);
    copy.set(new Uint8Array(this.buffer.buffer, start, length));
    return new type(copy.buffer, 0, length / size);
  }
}

function serialize(value) {
  const serializer = new DefaultSerializer();
  serializer.writeHeader();
  serializer.writeValue(value);
  return serializer.releaseBuffer();
}

function deserialize(buffer) {
  if (!ArrayBuffer.isView(buffer)) {
    const error = new TypeError('buffer must be a TypedArray or a DataView');
    error.code = new ERR_INVALID_ARG_TYPE('buffer', 'Buffer', buffer).code;
    throw error;
  }
  const deserializer = new DefaultDeserializer(buffer);
  deserializer.readHeader();
  return deserializer.readValue();
}

module.exports = {
  Serializer, Deserializer, DefaultSerializer, DefaultDeserializer, serialize, deserialize,
};

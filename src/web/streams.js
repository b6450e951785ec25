'use strict';

// The Streams Standard's classes, and the streams that encode, decode, compress and decompress: what node:stream/web
// exports.

const {
  ReadableStream, ReadableStreamDefaultReader, ReadableStreamDefaultController,
} = require('#web/readable_stream');
const {
  ReadableStreamBYOBReader, ReadableStreamBYOBRequest, ReadableByteStreamController,
} = require('#web/readable_byte_stream');
const { TransformStream, TransformStreamDefaultController } = require('#web/transform_stream');
const {
  WritableStream, WritableStreamDefaultWriter, WritableStreamDefaultController,
} = require('#web/writable_stream');
const { ByteLengthQueuingStrategy, CountQueuingStrategy } = require('#web/stream_base');
const {
  TextEncoderStream, TextDecoderStream, CompressionStream, DecompressionStream,
} = require('#web/stream_transforms');

module.exports = {
  ReadableStream,
  ReadableStreamDefaultReader,
  ReadableStreamBYOBReader,
  ReadableStreamBYOBRequest,
  ReadableByteStreamController,
  ReadableStreamDefaultController,
  TransformStream,
  TransformStreamDefaultController,
  WritableStream,
  WritableStreamDefaultWriter,
  WritableStreamDefaultController,
  ByteLengthQueuingStrategy,
  CountQueuingStrategy,
  TextEncoderStream,
  TextDecoderStream,
  CompressionStream,
  DecompressionStream,
};

'use strict';

// How objects of JavaScript take part in the structured clone algorithm. A class that does puts `transferMode` on its
// prototype, with the bits below, and the methods that they ask for.

/** Bits of `transferMode`. */
const kTransferable = 1;
const kCloneable = 2;
const kUncloneable = 4;

const transferMode = Symbol('transferMode');
/** Method of a cloneable object: gives [kind, state], from which `deserializers[kind]` makes the copy. */
const clone = Symbol('clone');
/** Method of a transferable object: gives [kind, state] and makes the object unusable. */
const transfer = Symbol('transfer');
/** Method of a transferable object: what must be transferred along. */
const transferList = Symbol('transferList');

/** By kind: how the copy is made of a state. Loaded when needed: the receiver may never have used the class. */
const deserializers = {
  __proto__: null,
  Plain: (state) => state,
  DOMException: (state) => require('#web/dom_exception').deserialize(state),
  Blob: (state) => require('#web/blob').deserializeBlob(state),
  File: (state) => require('#web/blob').deserializeFile(state),
  FileHandle: (state) => require('#fs/file_handle').deserialize(state),
  KeyObject: (state) => require('#crypto/key_clone').deserializeKey(state),
  CryptoKey: (state) => require('#crypto/key_clone').deserializeCryptoKey(state),
  Histogram: (state) => require('#perf_hooks/histogram').deserialize(state),
  AbortSignal: (state) => require('#web/abort_transfer').deserialize(state),
  ReadableStream: (state) => require('#web/stream_transfer').deserializeReadable(state),
  WritableStream: (state) => require('#web/stream_transfer').deserializeWritable(state),
  TransformStream: (state) => require('#web/stream_transfer').deserializeTransform(state),
};

/** Adds a kind; for modules outside of src/web. The module must be loaded in every realm that may receive it. */
function addDeserializer(kind, deserialize) {
  deserializers[kind] = deserialize;
}

/** Sets the mode of a class or an object. */
function setTransferMode(target, mode) {
  Object.defineProperty(target, transferMode, { __proto__: null, value: mode, configurable: true });
}

module.exports = {
  addDeserializer,
  clone,
  deserializers,
  kCloneable,
  kTransferable,
  kUncloneable,
  setTransferMode,
  transfer,
  transferList,
  transferMode,
};

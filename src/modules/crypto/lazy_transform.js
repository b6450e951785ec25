'use strict';
// A Transform whose stream machinery is made when it is first used as a stream: most hashes and ciphers never are.

const stream = require('stream');

function LazyTransform(options) {
  this._options = options;
}
Object.setPrototypeOf(LazyTransform.prototype, stream.Transform.prototype);
Object.setPrototypeOf(LazyTransform, stream.Transform);

function makeStream(self) {
  const options = self._options;
  // Defining first: the constructor of Transform assigns to these names.
  for (const name of kStates) {
    Object.defineProperty(self, name, { __proto__: null, value: undefined, writable: true, enumerable: true,
      configurable: true });
  }
  stream.Transform.call(self, options);
  if (!options?.decodeStrings) self._writableState.decodeStrings = false;
}

const kStates = ['_readableState', '_writableState', '_transformState'];
for (const name of kStates) {
  Object.defineProperty(LazyTransform.prototype, name, {
    __proto__: null,
    get() {
      makeStream(this);
      return this[name];
    },
    set(value) {
      Object.defineProperty(this, name, { __proto__: null, value, writable: true, enumerable: true,
        configurable: true });
    },
    configurable: true,
    enumerable: true,
  });
}

// EventEmitter looks these up on every `on`; a listener means that it is used as a stream.
module.exports = LazyTransform;

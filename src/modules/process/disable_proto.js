'use strict';

// --disable-proto=delete|throw: no way to an object's prototype by a property, in any context.

/** @param {typeof globalThis} global of a context */
function apply(global) {
  const mode = require('#runtime/options').getOptionValue('--disable-proto');
  /** @type {any} */
  const { prototype } = global.Object;
  if (mode === 'delete') {
    delete prototype.__proto__;
  } else if (mode === 'throw') {
    const refuse = () => {
      const { codes: { ERR_PROTO_ACCESS } } = require('#internal/errors');
      throw new ERR_PROTO_ACCESS();
    };
    Object.defineProperty(prototype, '__proto__', { get: refuse, set: refuse, enumerable: false, configurable: true });
  }
}

module.exports = { apply };

'use strict';

// What dgram.Socket showed of itself in old times, each with its warning (DEP0112), and sendto().

const { validateNumber, validateString } = require('#internal/validators');
const { deprecate } = require('#internal/util');
const { kState } = require('#dgram/handles');

const kProperties = { _handle: 'handle', _receiving: 'receiving', _bindState: 'bindState', _queue: 'queue', _reuseAddr: 'reuseAddr' };

function sendto(buffer, offset, length, port, address, callback) {
  validateNumber(offset, 'offset');
  validateNumber(length, 'length');
  validateNumber(port, 'port');
  validateString(address, 'address');
  this.send(buffer, offset, length, port, address, callback);
}

/** @param {object} prototype @param {{ healthCheck: Function, stopReceiving: Function }} methods */
function addTo(prototype, { healthCheck, stopReceiving }) {
  prototype.sendto = sendto;
  for (const [name, key] of Object.entries(kProperties)) {
    const text = `Socket.prototype.${name} is deprecated`;
    Object.defineProperty(prototype, name, {
      __proto__: null,
      get: deprecate(function () { return this[kState][key]; }, text, 'DEP0112'),
      set: deprecate(function (value) { this[kState][key] = value; }, text, 'DEP0112'),
    });
  }
  prototype._healthCheck = deprecate(function () { healthCheck(this); }, 'Socket.prototype._healthCheck() is deprecated', 'DEP0112');
  prototype._stopReceiving = deprecate(function () { stopReceiving(this); }, 'Socket.prototype._stopReceiving() is deprecated',
    'DEP0112');
}

module.exports = { addTo };

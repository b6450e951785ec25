'use strict';

// process.binding('uv'), which old programs ask for names of errors.

function make() {
  const { systemErrorMap } = require('#internal/errno');
  const binding = {
    errname(code) {
      if (require('#runtime/options').getOptionValue('--pending-deprecation')) {
        process.emitWarning("Directly calling process.binding('uv').errname(<val>) is being deprecated. Please make sure to use " +
          'util.getSystemErrorName() instead.', 'DeprecationWarning', 'DEP0119');
      }
      return require('util').getSystemErrorName(code);
    },
    getErrorMap: () => require('util').getSystemErrorMap(),
  };
  for (const [number, [name]] of systemErrorMap()) binding[`UV_${name}`] = number;
  return binding;
}

module.exports = { make };

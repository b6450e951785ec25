'use strict';

// The warning that the constructor `Buffer()` gives once to code outside node_modules (DEP0005).

const message = 'Buffer() is deprecated due to security and usability issues. Please use the Buffer.alloc(), ' +
  'Buffer.allocUnsafe(), or Buffer.from() methods instead.';

// A program that makes very many is not asked each time.
const maxCalls = 10000;

let warned = false;
let calls = 0;

function warnOfConstructor() {
  if (warned || ++calls > maxCalls) return;
  if (process.noDeprecation === true) return;
  const pending = require('#runtime/options').getOptionValue('--pending-deprecation');
  if (!pending && binding('util').isInsideNodeModules(100)) return;
  warned = true;
  process.emitWarning(message, 'DeprecationWarning', 'DEP0005');
}

module.exports = { warnOfConstructor };

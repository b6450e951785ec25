'use strict';

// Where a test was declared.

const { getCallSites } = binding('util');

const kFrames = 12;

/** { line, column, file } of the innermost call that is not ours; undefined if there is none. */
function callerLocation() {
  for (const site of getCallSites(kFrames)) {
    let file = site.scriptName;
    if (file === '' || file.startsWith('node:')) continue;
    if (file.startsWith('file:')) file = require('url').fileURLToPath(file);
    return { __proto__: null, line: site.lineNumber, column: site.columnNumber, file };
  }
  return undefined;
}

module.exports = { callerLocation };

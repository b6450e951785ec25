'use strict';

// Runs what every start runs, while the snapshot is made: functions that ran are in the snapshot as bytecode, the others would
// have to be compiled at each start. What the run leaves behind is forgotten.

const options = require('#runtime/options');

/** A program of two files in a folder of its own. */
function makeProgram() {
  const fs = require('fs');
  const folder = fs.mkdtempSync('/tmp/gyre-warm-up-');
  const main = `${folder}/main.cjs`;
  fs.writeFileSync(main, "require('./part');");
  fs.writeFileSync(`${folder}/part.js`, 'exports.a = 1;');
  return { folder, main };
}

/**
 * An object that got its properties one by one has a hidden class for each step, which a snapshot keeps. Losing a property
 * and being a prototype leaves it with a single one, and as fast.
 */
function dropHiddenClasses(object) {
  if (typeof object !== 'object' || object === null || !Object.isExtensible(object)) return;
  const keys = [Symbol('first'), Symbol('second')];
  for (const key of keys) object[key] = undefined;
  for (const key of keys) delete object[key];
  const heir = { __proto__: object };
  const read = () => heir.nothing;
  read();
  read();
}

function run() {
  const fs = require('fs');
  const { forget } = require('#module/cjs');
  const { main: begin, onBeforeExit, onExit } = require('#runtime/prepare').parts;
  const { folder, main } = makeProgram();
  process.env = { HOME: '/', NODE_PATH: '' };
  process.execPath = '/bin/gyre';
  process.argv = ['/bin/gyre', main];
  options.override({ args: [main] });
  try {
    begin({ removeListener() {} }, {});
    require('url').pathToFileURL(main);
    require('url').fileURLToPath('file:///a');
    onBeforeExit();
    onExit();
    process._exiting = false;
    for (const text of ['a', 1, { a: 1, b: [1] }, new Error('x')]) require('util').format('%s %o', text, text);
  } finally {
    for (const name of ['main.cjs', 'part.js']) fs.unlinkSync(`${folder}/${name}`);
    fs.rmdirSync(folder);
    forget();
    options.forget();
    require('#buffer/fast').forgetPool();
    delete process.env;
    delete process.execPath;
    delete process.argv;
  }
}

module.exports = { dropHiddenClasses, run };

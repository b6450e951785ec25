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

function run() {
  const fs = require('fs');
  const { forget } = require('#module/cjs');
  const { start } = require('#module/run_main');
  const { startTools, onBeforeExit, onExit } = require('#runtime/prepare').parts;
  const { folder, main } = makeProgram();
  process.env = { HOME: '/', NODE_PATH: '' };
  process.execPath = '/bin/gyre';
  process.argv = ['/bin/gyre', main];
  options.override({ args: [main] });
  try {
    startTools();
    start();
    require('url').pathToFileURL(main);
    require('url').fileURLToPath('file:///a');
    require('#process/setup').refresh({ removeListener() {} });
    onBeforeExit();
    onExit();
    process._exiting = false;
    for (const text of ['a', 1, { a: 1, b: [1] }, new Error('x')]) require('util').format('%s %o', text, text);
  } finally {
    fs.rmSync(folder, { recursive: true });
    forget();
    options.forget();
    delete process.env;
    delete process.execPath;
    delete process.argv;
  }
}

module.exports = { run };

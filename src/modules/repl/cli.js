'use strict';

// The loop as the program that runs when there is no other: `gyre` on a terminal, or `gyre -i`.

const repl = require('repl');

const kModes = { __proto__: null, strict: repl.REPL_MODE_STRICT, sloppy: repl.REPL_MODE_SLOPPY };

function readOptions(env) {
  const options = {
    [repl.kStandalone]: true,
    breakEvalOnSigint: true,
    ignoreUndefined: false,
    useGlobal: true,
    prompt: '> ',
    replMode: kModes[String(env.NODE_REPL_MODE).toLowerCase().trim()] ?? repl.REPL_MODE_SLOPPY,
  };
  if (Number.parseInt(env.NODE_NO_READLINE, 10)) options.terminal = false;
  const size = Number(env.NODE_REPL_HISTORY_SIZE);
  options.historySize = !Number.isNaN(size) && size > 0 ? size : 1000;
  return options;
}

/** util.inspect.replDefaults: how results are printed. */
function exposeDefaults() {
  const { inspect } = require('util');
  Object.defineProperty(inspect, 'replDefaults', {
    __proto__: null,
    configurable: true,
    enumerable: false,
    get: () => repl.writer.options,
    set(options) {
      require('#internal/validators').validateObject(options, 'options');
      Object.assign(repl.writer.options, options);
    },
  });
}

function start() {
  if (require('#runtime/options').getOptionValue('--input-type')) {
    process.stderr.write('Cannot specify --input-type for REPL\n');
    process.exit(1);
  }
  exposeDefaults();
  const { version } = process;
  process.stdout.write(`Welcome to Node.js ${version}.\nType ".help" for more information.\n`);
  const server = repl.start(readOptions(process.env));
  repl.repl = server;
  // Without a terminal nothing is kept.
  if (server.terminal) {
    server.setupHistory(process.env.NODE_REPL_HISTORY, (error) => {
      if (error) throw error;
    });
  }
  server.on('exit', () => {
    if (server.historyFlushing) {
      server.pause();
      server.once('flushHistory', () => process.exit());
      return;
    }
    process.exit();
  });
}

module.exports = { start };

'use strict';

// `--test`: runs the test files that the arguments name, or all that are called like tests.

const { getOptionValue } = require('#runtime/options');

function parseShard(text) {
  const match = /^(\d+)\/(\d+)$/.exec(text ?? '');
  if (match === null) return undefined;
  return { __proto__: null, index: Number(match[1]), total: Number(match[2]) };
}

/** The modules of --require and --import, which may set up hooks. */
async function preload() {
  const { createRequire } = require('module');
  const requireFromHere = createRequire(`${process.cwd()}/_`);
  for (const id of getOptionValue('--require') ?? []) requireFromHere(id);
  await require('#module/esm').importAll(getOptionValue('--import') ?? []);
}

/** @param {string[]} patterns the arguments */
function main(patterns) {
  const settings = require('#test/settings').read();
  const { start } = require('#test/run');
  const isolation = getOptionValue('--test-isolation');
  const files = require('#test/files').findTestFiles(patterns, process.cwd());
  if (files.length === 0 && patterns.length > 0) {
    process.stderr.write(`Could not find '${patterns.join(', ')}'\n`);
    process.exitCode = 1;
    return;
  }
  let end;
  const onSignal = (harness) => () => {
    harness.interrupt();
    end();
    process.exit(1);
  };
  const { stream, done } = start({
    __proto__: null,
    globPatterns: patterns,
    concurrency: isolation === 'none' ? 1 : settings.concurrency ?? true,
    timeout: settings.timeout ?? Infinity,
    testNamePatterns: settings.namePatterns ?? undefined,
    testSkipPatterns: settings.skipPatterns ?? undefined,
    only: settings.only,
    isolation: isolation || 'process',
    shard: parseShard(getOptionValue('--test-shard')),
  }, (harness) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, onSignal(harness));
    end = require('#test/output').attach(harness, settings);
  }, preload);
  stream.resume();
  done.then((success) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
    end();
    if (!success) process.exitCode = 1;
  });
}

module.exports = { main };

'use strict';

// `--test`: runs the test files that the arguments name, or all that are called like tests.

const { codes: { ERR_INVALID_ARG_VALUE } } = require('#internal/errors');
const { getOptionValue } = require('#runtime/options');

function parseShard(text) {
  if (text === undefined || text === null || text === '') return undefined;
  const match = /^(\d+)\/(\d+)$/.exec(text);
  if (match === null) {
    throw new ERR_INVALID_ARG_VALUE('--test-shard', text, 'must be in the form of <index>/<total>');
  }
  return { __proto__: null, index: Number(match[1]), total: Number(match[2]) };
}

/** The modules of --require and --import, which may set up hooks. */
async function preload() {
  const { createRequire } = require('module');
  const requireFromHere = createRequire(`${process.cwd()}/_`);
  for (const id of getOptionValue('--require') ?? []) requireFromHere(id);
  await require('#module/esm').importAll(getOptionValue('--import') ?? []);
}

/** Options that want to run something else. */
const kConflicts = { '--check': '--check', '--interactive': '--interactive', '--eval': '--eval', '--print': '--eval' };

function refuseConflicts() {
  for (const option of Object.keys(kConflicts)) {
    const value = getOptionValue(option);
    if (value === undefined || value === false || value === null) continue;
    process.stderr.write(`${process.execPath}: either --test or ${kConflicts[option]} can be used, not both\n`);
    process.exit(9);
  }
}

/** @param {string[]} patterns the arguments */
function main(patterns) {
  refuseConflicts();
  const settings = require('#test/settings').read();
  const { start } = require('#test/run');
  const isolation = getOptionValue('--test-isolation');
  const shard = parseShard(getOptionValue('--test-shard'));
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
    coverage: settings.coverage !== undefined,
    coverageExcludeGlobs: settings.coverage?.exclude,
    coverageIncludeGlobs: settings.coverage?.include,
    lineCoverage: settings.coverage?.thresholds.line,
    branchCoverage: settings.coverage?.thresholds.branch,
    functionCoverage: settings.coverage?.thresholds.function,
    shard,
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

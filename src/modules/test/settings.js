'use strict';

// What the command line says about tests: --test-reporter, --test-name-pattern and relatives.

function all(name) {
  const value = require('#runtime/options').getOptionValue(name);
  if (value === undefined || value === null || value === false || value === '') return [];
  return Array.isArray(value) ? value : [value];
}

/** A pattern is a regular expression, between slashes with flags or bare. */
function toRegExp(text) {
  const match = /^\/(.*)\/([a-z]*)$/.exec(text);
  return match !== null ? new RegExp(match[1], match[2]) : new RegExp(text);
}

const patterns = (name) => {
  const texts = all(name);
  return texts.length === 0 ? null : texts.map(toRegExp);
};

/** A glob of files that hold tests, which coverage is not about. */
function testFiles() {
  const hasTypes = require('#runtime/options').getOptionValue('--experimental-strip-types') !== false;
  return `**/{test,test/**/*,test-*,*[._-]test}.{js,mjs,cjs${hasTypes ? ',ts,mts,cts' : ''}}`;
}

/** What the coverage of the run is about, or undefined. */
function readCoverage() {
  if (all('--experimental-test-coverage').length === 0) return undefined;
  const { validateInteger } = require('#internal/validators');
  const threshold = (name) => {
    const value = Number(all(name)[0] ?? 0);
    validateInteger(value, name, 0, 100);
    return value;
  };
  return {
    cwd: process.cwd(),
    exclude: all('--test-coverage-exclude').length > 0 ? all('--test-coverage-exclude') : [testFiles()],
    include: all('--test-coverage-include'),
    thresholds: {
      __proto__: null,
      line: threshold('--test-coverage-lines'),
      branch: threshold('--test-coverage-branches'),
      function: threshold('--test-coverage-functions'),
    },
  };
}

function read() {
  const concurrency = Number(all('--test-concurrency')[0] ?? 0);
  const timeout = Number(all('--test-timeout')[0] ?? 0);
  return {
    coverage: readCoverage(),
    only: all('--test-only').length > 0,
    namePatterns: patterns('--test-name-pattern'),
    skipPatterns: patterns('--test-skip-pattern'),
    reporters: all('--test-reporter'),
    destinations: all('--test-reporter-destination'),
    updateSnapshots: all('--test-update-snapshots').length > 0,
    concurrency: concurrency > 0 ? concurrency : undefined,
    timeout: timeout > 0 ? timeout : undefined,
  };
}

module.exports = { read, toRegExp };

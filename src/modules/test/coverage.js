'use strict';

// Test coverage: V8 counts what runs in this process and its children (see the inspector room's coverage.js),
// each writes what it saw as JSON to one directory, and at the end of the run the files make one summary.

const kReport = /^coverage-.*\.json$/;

/** @type {Session | undefined} the one that the process was started with */
let started;

/** The counts of one run. */
class Session {
  #counts;
  #original = process.env.NODE_V8_COVERAGE;

  /** @param {boolean} counts whether this process does, too, because it loads the tests itself */
  constructor(counts) {
    const fs = require('fs');
    const path = require('path');
    this.directory = fs.mkdtempSync(path.join(require('os').tmpdir(), 'node-coverage-'));
    this.#counts = counts;
    if (!counts) return;
    const counter = require('#inspector/coverage');
    counter.stop();
    counter.start(this.directory);
  }

  /** The summary of the run, which ends its counting. */
  summarize(options) {
    if (this.#counts) require('#inspector/coverage').take();
    try {
      const scripts = readReports(this.directory, options);
      return require('#test/coverage_summary').summarize(scripts, options);
    } finally {
      this.#end();
    }
  }

  /** The directory that the program's user asked for gets a copy. */
  #end() {
    const fs = require('fs');
    const path = require('path');
    const original = this.#original;
    if (this.#counts) {
      require('#inspector/coverage').stop();
      delete process.env.NODE_V8_COVERAGE;
    }
    if (original !== undefined) {
      process.env.NODE_V8_COVERAGE = original;
      fs.mkdirSync(original, { recursive: true });
      for (const name of fs.readdirSync(this.directory)) {
        fs.copyFileSync(path.join(this.directory, name), path.join(original, name));
      }
    }
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Before the program is loaded: its tests are in this process. */
function start() {
  started = new Session(true);
}

/** The session of a run. */
function open() {
  const session = started ?? new Session(false);
  started = undefined;
  return session;
}

const sameRange = (a, b) => a.startOffset === b.startOffset && a.endOffset === b.endOffset;
const contains = (outer, inner) => outer.startOffset <= inner.startOffset && outer.endOffset >= inner.endOffset;

/** What ran in either, plus what ran in neither: of two gaps of which one holds the other, the smaller. */
function mergeRanges(known, added) {
  const merged = new Set(known.filter(({ count }) => count > 0));
  for (const range of added) {
    let isKnown = false;
    for (const old of known) {
      if (sameRange(range, old)) {
        old.count += range.count;
        merged.add(old);
        isKnown = true;
        break;
      }
      if (old.count > 0 || range.count > 0) continue;
      if (contains(old, range)) merged.add(range);
      else if (contains(range, old)) merged.add(old);
    }
    if (range.count > 0 && !isKnown) merged.add(range);
  }
  return [...merged];
}

/** V8's list of functions depends on what ran; counts by block say more than counts by function. */
function mergeFunctions(known, added) {
  for (const fn of added) {
    const old = known.find(({ functionName, ranges }) => (
      functionName === fn.functionName && sameRange(ranges[0], fn.ranges[0])));
    if (old === undefined) {
      known.push(fn);
    } else if (fn.isBlockCoverage) {
      old.ranges = old.isBlockCoverage ? mergeRanges(old.ranges, fn.ranges) : fn.ranges;
      old.isBlockCoverage = true;
    }
  }
}

const matchesAny = (globs, paths) => {
  const { matchesGlob } = require('path');
  return globs.some((glob) => paths.some((path) => matchesGlob(path, glob)));
};

/** Whether a script is one that the summary is about. */
function isWanted(url, { cwd, exclude, include }) {
  if (!url.startsWith('file:')) return false;
  const path = require('path');
  const full = require('url').fileURLToPath(url);
  const paths = [path.relative(cwd, full), full];
  if (matchesAny(exclude, paths)) return false;
  if (include.length > 0) return matchesAny(include, paths);
  return !url.includes('/node_modules/');
}

/**
 * @param {string} directory
 * @param {{ cwd: string, exclude: string[], include: string[] }} options
 * @returns {Map<string, object[]>} the functions of each script
 */
function readReports(directory, options) {
  const fs = require('fs');
  const path = require('path');
  const scripts = new Map();
  for (const name of fs.readdirSync(directory)) {
    if (!kReport.test(name)) continue;
    const { result } = JSON.parse(fs.readFileSync(path.join(directory, name), 'utf8'));
    for (const { url, functions } of result) {
      if (scripts.has(url)) mergeFunctions(scripts.get(url), functions);
      else if (isWanted(url, options)) scripts.set(url, functions);
    }
  }
  return scripts;
}

module.exports = { open, start };

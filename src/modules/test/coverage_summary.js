'use strict';

// From V8's counts, which are of ranges of characters, to lines, branches and functions.

const kIgnoreNext = /\/\* node:coverage ignore next (?:(\d+) )?\*\//;
const kStatus = /\/\* node:coverage (enable|disable) \*\//;

/** The lines of a source, and which its comments take out of the counts. */
function splitLines(source) {
  let offset = 0;
  let ignoredAhead = 0;
  let isEnabled = true;
  return source.split(/(?<=\r?\n)/).map((text, i) => {
    const startOffset = offset;
    offset += text.length;
    const endOffset = startOffset + text.replace(/\r?\n$/, '').length;
    const line = { line: i + 1, startOffset, endOffset, ignore: !isEnabled, count: startOffset === endOffset ? 1 : 0 };
    if (ignoredAhead > 0) {
      ignoredAhead--;
      line.ignore = true;
    }
    const status = kStatus.exec(text)?.[1];
    if (!isEnabled) {
      if (status === 'enable') isEnabled = true;
      return line;
    }
    const ignore = kIgnoreNext.exec(text);
    if (ignore !== null) ignoredAhead = Number(ignore[1] ?? 1);
    else if (status === 'disable') isEnabled = false;
    return line;
  });
}

function readLines(url) {
  let source;
  try {
    source = require('fs').readFileSync(require('url').fileURLToPath(url), 'utf8');
  } catch {
    // What is not a file, or no longer, is not shown.
    return undefined;
  }
  return splitLines(source);
}

/** The index of the line that an offset is in, or -1. */
function lineAt(lines, offset) {
  let low = 0;
  let high = lines.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { startOffset, endOffset } = lines[middle];
    if (offset >= startOffset && offset <= endOffset) return middle;
    if (offset >= endOffset) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Gives a range's count to the lines that it holds completely; returns the lines it touches. */
function applyRange({ startOffset, endOffset, count }, lines) {
  const touched = [];
  const first = lineAt(lines, startOffset);
  if (first === -1) return touched;
  for (let i = first; i < lines.length && endOffset > lines[i].startOffset; i++) {
    const line = lines[i];
    if (startOffset <= line.startOffset && endOffset >= line.endOffset) line.count = count;
    touched.push(line);
  }
  return touched;
}

const percentage = (covered, total) => (total === 0 ? 100 : covered / total * 100);

function withPercentages(counts) {
  counts.coveredLinePercent = percentage(counts.coveredLineCount, counts.totalLineCount);
  counts.coveredBranchPercent = percentage(counts.coveredBranchCount, counts.totalBranchCount);
  counts.coveredFunctionPercent = percentage(counts.coveredFunctionCount, counts.totalFunctionCount);
  return counts;
}

function summarizeFile(url, scriptFunctions, lines) {
  const functions = [];
  const branches = [];
  let coveredBranches = 0;
  let coveredFunctions = 0;
  scriptFunctions.forEach(({ functionName, isBlockCoverage, ranges }, i) => {
    let isCovered = false;
    let line;
    ranges.forEach((range, j) => {
      const touched = applyRange(range, lines);
      const counts = range.count !== 0 || touched.every(({ ignore }) => ignore);
      if (j === 0) {
        isCovered = counts;
        line = touched[0]?.line;
      }
      if (!isBlockCoverage) return;
      branches.push({ __proto__: null, line: touched[0]?.line, count: range.count });
      if (counts) coveredBranches++;
    });
    // The first function is the script itself.
    if (i === 0 || ranges.length === 0) return;
    functions.push({ __proto__: null, name: functionName, count: Math.max(...ranges.map(({ count }) => count)), line });
    if (isCovered) coveredFunctions++;
  });
  return {
    ...withPercentages({
      path: require('url').fileURLToPath(url),
      totalLineCount: lines.length,
      totalBranchCount: branches.length,
      totalFunctionCount: functions.length,
      coveredLineCount: lines.filter(({ count, ignore }) => count > 0 || ignore).length,
      coveredBranchCount: coveredBranches,
      coveredFunctionCount: coveredFunctions,
    }),
    __proto__: null,
    functions,
    branches,
    lines: lines.filter(({ ignore }) => !ignore).map(({ line, count }) => ({ __proto__: null, line, count })),
  };
}

/** @param {Map<string, object[]>} scripts functions by URL */
function summarize(scripts, { cwd, thresholds }) {
  const files = [];
  for (const [url, functions] of scripts) {
    const lines = readLines(url);
    if (lines !== undefined) files.push(summarizeFile(url, functions, lines));
  }
  files.sort((a, b) => a.path.localeCompare(b.path));
  const sum = (key) => files.reduce((total, file) => total + file[key], 0);
  const totals = withPercentages({
    __proto__: null,
    totalLineCount: sum('totalLineCount'),
    totalBranchCount: sum('totalBranchCount'),
    totalFunctionCount: sum('totalFunctionCount'),
    coveredLineCount: sum('coveredLineCount'),
    coveredBranchCount: sum('coveredBranchCount'),
    coveredFunctionCount: sum('coveredFunctionCount'),
  });
  return { __proto__: null, workingDirectory: cwd, files, totals, thresholds };
}

module.exports = { summarize };

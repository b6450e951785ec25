'use strict';

// The table of test coverage that the spec and tap reporters end with.

const colors = require('#internal/colors');

const kHeadings = ['line %', 'branch %', 'funcs %'];
const kPercentages = ['coveredLinePercent', 'coveredBranchPercent', 'coveredFunctionPercent'];
const kLastHeading = 'uncovered lines';
const kEllipsis = '\u2026';
/** The three numbers and the bars around them. */
const kNumbersWidth = kHeadings.reduce((sum, heading) => sum + heading.length + 3, 0);

const cutEnd = (text, width) => (text.length > width ? `${text.slice(0, width - 1)}${kEllipsis}` : text);
const cutStart = (text, width) => (text.length > width ? `${kEllipsis}${text.slice(text.length - width + 1)}` : text);

/** "1-3 7 9-10" */
function uncoveredLines(lines) {
  const ranges = [];
  for (const { line, count } of lines) {
    if (count !== 0) continue;
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(' ');
}

/** The files below their folders, in the order of the table. */
function treeRows({ workingDirectory, files }) {
  const path = require('path');
  const rows = [];
  let open = [];
  for (const file of files) {
    const parts = path.relative(workingDirectory, file.path).split(path.sep);
    const name = parts.pop();
    let common = 0;
    while (common < parts.length && open[common] === parts[common]) common++;
    for (let depth = common; depth < parts.length; depth++) rows.push({ depth, name: parts[depth] });
    open = parts;
    rows.push({ depth: parts.length, name, file, uncovered: uncoveredLines(file.lines) });
  }
  return rows;
}

/** A share in the color of how good it is. */
function colored(text, share, color) {
  if (color === '') return text;
  const level = share > 90 ? colors.green : share > 50 ? colors.yellow : colors.red;
  return `${level}${text}${color}`;
}

class Table {
  #prefix;
  #color;
  #nameWidth;
  #lastWidth = Infinity;
  #width;

  constructor(rows, prefix, color) {
    this.#prefix = prefix;
    this.#color = color;
    const most = (values) => Math.max(0, ...values);
    const longest = most(rows.map(({ name }) => name.length)) + most(rows.map(({ depth }) => depth));
    this.#nameWidth = Math.max('all files'.length, longest) + (color === '' ? 0 : 2);
    this.#fit(Math.max(kLastHeading.length, most(rows.map(({ uncovered = '' }) => uncovered.length))));
  }

  /** Makes the columns smaller than what is in them if the terminal is. */
  #fit(lastWidth) {
    this.#width = this.#nameWidth + 2 + kNumbersWidth + lastWidth + 2;
    const available = (process.stdout.columns || Infinity) - this.#prefix.length;
    if (this.#width <= available) return;
    this.#nameWidth = Math.min(this.#nameWidth, Math.floor(available * 0.5));
    this.#lastWidth = Math.max(available - kNumbersWidth - (this.#nameWidth + 2) - 2, 1);
    this.#width = available;
  }

  line() {
    return `${this.#prefix}${'-'.repeat(this.#width)}\n`;
  }

  /** @param {string[]} numbers @param {number[]} shares what their colors say */
  #row(name, numbers, shares, last) {
    const cells = numbers.map((text, i) => colored(text.padStart(kHeadings[i].length), shares[i], this.#color));
    return `${this.#prefix}${name} | ${cells.join(' | ')} | ${cutEnd(last, this.#lastWidth)}\n`;
  }

  heading() {
    return this.#row('file'.padEnd(this.#nameWidth), kHeadings, [], kLastHeading);
  }

  entry({ depth, name, file, uncovered }) {
    const width = this.#nameWidth - depth;
    const cell = cutStart(name.padEnd(file === undefined ? 0 : width), width).padEnd(width);
    const indent = ' '.repeat(depth);
    if (file === undefined) return this.#row(indent + cell, ['', '', ''], [], '');
    const shares = kPercentages.map((key) => file[key]);
    const average = (shares[0] + shares[1] + shares[2]) / 3;
    return this.#row(indent + colored(cell, average, this.#color), shares.map((share) => share.toFixed(2)), shares,
      uncovered);
  }

  total(totals) {
    const shares = kPercentages.map((key) => totals[key]);
    return this.#row('all files'.padEnd(this.#nameWidth), shares.map((share) => share.toFixed(2)), shares, '');
  }
}

/**
 * @param {object} summary of a test:coverage event
 * @param {string} prefix of each line
 * @param {string} color of the table, or ''
 */
function formatCoverage(summary, prefix, color) {
  const rows = treeRows(summary);
  const table = new Table(rows, prefix, color);
  const lines = [
    `${color}${prefix}start of coverage report\n`, table.line(), table.heading(), table.line(),
    ...rows.map((row) => table.entry(row)),
    table.line(), table.total(summary.totals), table.line(),
    `${prefix}end of coverage report\n`,
  ];
  return lines.join('') + (color === '' ? '' : colors.white);
}

module.exports = { formatCoverage };

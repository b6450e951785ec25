'use strict';

// The spec reporter: one line a test, indented by nesting, and the failures again at the end.

const { inspectWithNoCustomRetry } = require('#internal/errors');
const colors = require('#internal/colors');

const kSymbols = {
  '__proto__': null, 'test:fail': '\u2716 ', 'test:pass': '\u2714 ', 'test:diagnostic': '\u2139 ',
  'test:coverage': '\u2139 ', 'arrow': '\u25B6 ', 'hyphen': '\uFE63 ',
};

const indentOf = (nesting) => '  '.repeat(nesting);

/** The error as inspect() shows it, indented below its test. */
function formatError(error, indent) {
  if (!error) return '';
  const cause = error.code === 'ERR_TEST_FAILURE' ? error.cause : error;
  const text = inspectWithNoCustomRetry(cause, { colors: colors.hasColors, breakLength: Infinity });
  return `\n${indent}  ${text.split(/\r?\n/).join(`\n${indent}  `)}`;
}

function diagnosticColor(level) {
  if (level === 'error') return colors.red;
  return level === 'warn' ? colors.yellow : colors.blue;
}

function colorOf(type) {
  if (type === 'test:fail') return colors.red;
  if (type === 'test:pass') return colors.green;
  return '';
}

/** One line for a test's result. */
function formatReport(type, data, showError = true, prefix = '', indent = '') {
  const { name, details, skip, todo } = data;
  let color = colorOf(type);
  let symbol = kSymbols[type];
  let title = name;
  if (details?.duration_ms !== undefined) title += ` ${colors.gray}(${details.duration_ms}ms)${colors.white}`;
  if (skip !== undefined) {
    title += ` # ${typeof skip === 'string' && skip.length > 0 ? skip : 'SKIP'}`;
    symbol = kSymbols.hyphen;
    color = colors.gray;
  } else if (todo !== undefined) {
    title += ` # ${typeof todo === 'string' && todo.length > 0 ? todo : 'TODO'}`;
    if (type === 'test:fail') color = colors.yellow;
  }
  const error = showError ? formatError(details?.error, indent) : '';
  return `${prefix}${indent}${color}${symbol}${title}${colors.white}${error}\n`;
}

class SpecFormatter {
  #started = [];
  #open = new Set();
  #failed = [];

  constructor() {
    colors.refresh();
  }

  /** The headings of the suites around a test, each once. */
  #headings(nesting) {
    let text = '';
    for (const { data } of this.#started) {
      if (data.nesting >= nesting || this.#open.has(data)) continue;
      this.#open.add(data);
      text += `${indentOf(data.nesting)}${kSymbols.arrow}${data.name}\n`;
    }
    return text;
  }

  #result(type, data) {
    const headings = this.#headings(data.nesting);
    const at = this.#started.findLastIndex((item) => (
      item.data.nesting === data.nesting && item.data.name === data.name));
    if (at !== -1) {
      this.#open.delete(this.#started[at].data);
      this.#started.splice(at, 1);
    }
    if (type === 'test:fail' && data.details?.error?.failureType !== 'subtestsFailed') {
      this.#failed.push({ type, data });
    }
    return headings + formatReport(type, data, false, '', indentOf(data.nesting));
  }

  format({ type, data }) {
    switch (type) {
      case 'test:start':
        this.#started.push({ data });
        return '';
      case 'test:pass':
      case 'test:fail':
        return this.#result(type, data);
      case 'test:stderr':
      case 'test:stdout':
        return data.message;
      case 'test:diagnostic':
        return `${diagnosticColor(data.level)}${indentOf(data.nesting)}${kSymbols[type]}${data.message}${colors.white}\n`;
      case 'test:coverage':
        return require('#test/coverage_report').formatCoverage(data.summary,
          `${indentOf(data.nesting)}${kSymbols[type]}`, colors.blue);
      case 'test:interrupted':
        return `\n${colors.yellow}Interrupted while running:${colors.white}\n`;
      default:
        return '';
    }
  }

  end() {
    if (this.#failed.length === 0) return '';
    const path = require('path');
    let text = `\n${colors.red}${kSymbols['test:fail']}failing tests:${colors.white}\n`;
    for (const { type, data } of this.#failed) {
      const file = data.file === undefined ? undefined : path.relative(process.cwd(), data.file);
      if (file !== undefined) text += `\ntest at ${file}:${data.line}:${data.column}\n`;
      else text += '\n';
      text += formatReport(type, data);
    }
    return text;
  }
}

module.exports = { SpecFormatter, formatReport };

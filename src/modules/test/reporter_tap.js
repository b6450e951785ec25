'use strict';

// The TAP reporter, version 13 of the Test Anything Protocol with YAML blocks.

const { inspectWithNoCustomRetry } = require('#internal/errors');

const kFramePattern = /^\s+at\s/;

const escape = (text) => text.replaceAll('\b', '\\b').replaceAll('\f', '\\f').replaceAll('\t', '\\t')
  .replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\v', '\\v');
const tapEscape = (text) => escape(text.replaceAll('\\', '\\\\').replaceAll('#', '\\#'));

function yamlString(indent, key, value) {
  if (!value.includes('\n')) return `${indent}${key}: '${value.replaceAll("'", "''")}'\n`;
  const lines = value.split(/\r?\n/).map((line) => `${indent}  ${line}\n`).join('');
  return `${indent}${key}: |-\n${lines}`;
}

function isAssertionLike(value) {
  return value !== null && typeof value === 'object' && 'expected' in value && 'actual' in value;
}

function yamlObject(indent, key, value, seen) {
  seen.add(value);
  const keys = Object.keys(value);
  if (keys.length === 0) return `${indent}${key}: ${Array.isArray(value) ? '[]' : '{}'}\n`;
  let text = `${indent}${key}:\n`;
  for (const name of keys) text += yaml(`${indent}  `, name, value[name], seen);
  return text;
}

function yaml(indent, key, value, seen) {
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean') {
    return `${indent}${key}: ${value === undefined ? '~' : value}\n`;
  }
  if (typeof value === 'string') return yamlString(indent, key, value);
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') {
    return `${indent}${key}: ${typeof value === 'bigint' ? `${value}n` : inspectWithNoCustomRetry(value)}\n`;
  }
  if (value instanceof Date) return `${indent}${key}: ${value.toISOString()}\n`;
  if (value instanceof RegExp || value instanceof Error) {
    return yamlString(indent, key, value instanceof Error ? `${value.name}: ${value.message}` : String(value));
  }
  if (seen.has(value)) return `${indent}${key}: <Circular>\n`;
  return yamlObject(indent, key, value, seen);
}

function stackLines(error) {
  if (typeof error.stack !== 'string') return undefined;
  const frames = error.stack.split('\n').filter((line) => kFramePattern.test(line));
  return frames.length === 0 ? undefined : frames.map((line) => line.replace(kFramePattern, '')).join('\n');
}

function yamlError(indent, error) {
  const { cause, failureType } = error;
  let text = '';
  if (failureType !== undefined) text += yaml(indent, 'failureType', failureType, new Set());
  const isCause = error.code === 'ERR_TEST_FAILURE' && failureType !== 'unwantedFailure';
  const inner = isCause && cause !== undefined ? cause : error;
  const isObject = inner !== null && typeof inner === 'object';
  let { code } = error;
  let message = error.message;
  if (isObject) {
    if (inner.code !== undefined) code = inner.code;
    message = inner.message ?? inspectWithNoCustomRetry(inner);
  } else if (inner !== undefined) {
    message = typeof inner === 'string' ? inner : inspectWithNoCustomRetry(inner);
  }
  text += yaml(indent, 'error', `${message}`, new Set());
  if (code) text += yaml(indent, 'code', code, new Set());
  if (isObject && inner.name && inner.name !== 'Error') text += yaml(indent, 'name', inner.name, new Set());
  if (isAssertionLike(inner)) {
    text += yaml(indent, 'expected', inner.expected, new Set());
    text += yaml(indent, 'actual', inner.actual, new Set());
    if (inner.operator) text += yaml(indent, 'operator', inner.operator, new Set());
  }
  const stack = isObject ? stackLines(inner) : undefined;
  if (stack !== undefined) text += yamlString(indent, 'stack', stack);
  return text;
}

function details(nesting, data) {
  const indent = `${'    '.repeat(nesting)}  `;
  let text = `${indent}---\n${yaml(indent, 'duration_ms', data.details.duration_ms, new Set())}`;
  if (data.details.type !== undefined) text += yaml(indent, 'type', data.details.type, new Set());
  if (data.details.error) {
    if (data.file !== undefined) {
      text += yaml(indent, 'location', `${data.file}:${data.line}:${data.column}`, new Set());
    }
    text += yamlError(indent, data.details.error);
  }
  return `${text}${indent}...\n`;
}

function result(data, status) {
  let line = `${'    '.repeat(data.nesting)}${status} ${data.testNumber}`;
  if (data.name) line += ` ${tapEscape(`- ${data.name}`)}`;
  if (data.skip !== undefined) {
    line += ` # SKIP${typeof data.skip === 'string' && data.skip.length > 0 ? ` ${tapEscape(data.skip)}` : ''}`;
  } else if (data.todo !== undefined) {
    line += ` # TODO${typeof data.todo === 'string' && data.todo.length > 0 ? ` ${tapEscape(data.todo)}` : ''}`;
  }
  return [`${line}\n`, details(data.nesting, data)];
}

function comment(nesting, text) {
  const indent = '    '.repeat(nesting);
  return text.split(/\r?\n/).map((line) => (line === '' ? '' : `${indent}# ${tapEscape(line)}\n`)).join('');
}

class TapFormatter {
  begin() {
    return 'TAP version 13\n';
  }

  /** The text of an event, in the pieces that the generator of node:test/reporters yields. */
  parts(event) {
    if (event.type === 'test:fail') return result(event.data, 'not ok');
    if (event.type === 'test:pass') return result(event.data, 'ok');
    return [this.format(event)];
  }

  format({ type, data }) {
    switch (type) {
      case 'test:fail': return result(data, 'not ok').join('');
      case 'test:pass': return result(data, 'ok').join('');
      case 'test:plan': return `${'    '.repeat(data.nesting)}1..${data.count}\n`;
      case 'test:start': return `${'    '.repeat(data.nesting)}# Subtest: ${tapEscape(data.name)}\n`;
      case 'test:diagnostic': return `${'    '.repeat(data.nesting)}# ${tapEscape(data.message)}\n`;
      case 'test:stderr':
      case 'test:stdout': return comment(data.nesting ?? 0, data.message);
      case 'test:coverage':
        return require('#test/coverage_report').formatCoverage(data.summary, `${'    '.repeat(data.nesting)}# `, '');
      case 'test:interrupted': return `Bail out! ${tapEscape('Interrupted while running tests')}\n`;
      default: return '';
    }
  }

  end() {
    return '';
  }
}

module.exports = { TapFormatter };

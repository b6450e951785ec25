'use strict';

// The text of a .env file to an object: util.parseEnv(), process.loadEnvFile(), --env-file.

/** The end of an unquoted value, comments cut off. */
function plainValue(line) {
  const comment = line.indexOf('#');
  return (comment === -1 ? line : line.slice(0, comment)).trim();
}

/** A value in quotes may span lines; \n is a line break within double quotes only. */
function quotedValue(text, start) {
  const mark = text[start];
  const end = text.indexOf(mark, start + 1);
  if (end === -1) return undefined;
  let value = text.slice(start + 1, end);
  if (mark === '"') value = value.replaceAll('\\n', '\n');
  const lineEnd = text.indexOf('\n', end);
  return { value, next: lineEnd === -1 ? text.length : lineEnd + 1 };
}

/** @param {string} content @returns {Record<string, string>} */
function parseDotEnv(content) {
  const result = {};
  const text = content.replaceAll('\r\n', '\n').replaceAll('\r', '\n').trim();
  let at = 0;
  while (at < text.length) {
    let lineEnd = text.indexOf('\n', at);
    if (lineEnd === -1) lineEnd = text.length;
    const line = text.slice(at, lineEnd);
    const equals = line.indexOf('=');
    const isComment = line.trimStart().startsWith('#');
    if (isComment || equals === -1 || line.slice(0, equals).trim() === '') {
      at = lineEnd + 1;
      continue;
    }
    let key = line.slice(0, equals).trim();
    if (key.startsWith('export ')) key = key.slice(7).trimStart();
    let start = at + equals + 1;
    while (start < lineEnd && (text[start] === ' ' || text[start] === '\t')) start++;
    if (start < lineEnd && (text[start] === '"' || text[start] === "'" || text[start] === '`')) {
      const quoted = quotedValue(text, start);
      if (quoted !== undefined) {
        result[key] = quoted.value;
        at = quoted.next;
        continue;
      }
    }
    result[key] = plainValue(text.slice(start, lineEnd));
    at = lineEnd + 1;
  }
  return result;
}

module.exports = { parseDotEnv };

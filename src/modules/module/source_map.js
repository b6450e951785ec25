'use strict';

// SourceMap: a source map (ECMA-426, "Source map format", version 3) that answers where generated code comes from.

const { validateObject, validateArray } = require('#internal/validators');

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digitOf = new Map([...alphabet].map((letter, value) => [letter, value]));
const kContinues = 32;
const kDigitMask = 31;

/** Reads base 64 VLQ numbers. What is no digit ends a number. */
class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  get atSegmentEnd() {
    const c = this.text[this.at];
    return c === undefined || c === ',' || c === ';';
  }

  number() {
    let value = 0;
    let shift = 0;
    let digit;
    do {
      digit = digitOf.get(this.text[this.at++]) ?? 0;
      value += (digit & kDigitMask) * 2 ** shift;
      shift += 5;
    } while (digit & kContinues);
    const magnitude = Math.floor(value / 2);
    if (value % 2 === 0) return magnitude;
    return magnitude === 0 ? -0x80000000 : -magnitude;
  }
}

/** @typedef {[line: number, column: number, source?: string, originalLine?: number, originalColumn?: number, name?: string]} Mapping */

/** @param {Mapping[]} mappings receives those of `map`, moved by the offset of its section */
function parse(map, mappings, lineOffset = 0, columnOffset = 0) {
  const { sources = [], names = [] } = map;
  const root = map.sourceRoot ?? '';
  const fullNames = sources.map((source) => (root === '' || source === null ? source : `${root.replace(/\/?$/, '/')}${source}`));
  const reader = new Reader(String(map.mappings ?? ''));
  let line = lineOffset;
  let column = columnOffset;
  let source = 0;
  let originalLine = 0;
  let originalColumn = 0;
  let name = 0;
  while (reader.at < reader.text.length) {
    const c = reader.text[reader.at];
    if (c === ';' || c === ',') {
      reader.at++;
      if (c === ',') continue;
      line++;
      column = 0;
      continue;
    }
    column += reader.number();
    if (reader.atSegmentEnd) {
      mappings.push([line, column]);
      continue;
    }
    source += reader.number();
    originalLine += reader.number();
    originalColumn += reader.number();
    let symbol;
    if (!reader.atSegmentEnd) {
      name += reader.number();
      symbol = names[name];
    }
    mappings.push([line, column, fullNames[source], originalLine, originalColumn, symbol]);
  }
}

function clonePayload(payload) {
  const clone = { ...payload };
  if (Array.isArray(payload.sources)) clone.sources = [...payload.sources];
  if (Array.isArray(payload.sections)) {
    clone.sections = payload.sections.map(({ offset, map }) => ({ offset: { ...offset }, map: clonePayload(map) }));
  }
  return clone;
}

class SourceMap {
  #payload;
  #lineLengths;
  /** @type {Mapping[] | undefined} in the order of generated positions; read when first asked for */
  #mappings;

  constructor(payload, options = undefined) {
    validateObject(payload, 'payload');
    const { lineLengths } = options ?? {};
    if (lineLengths !== undefined) validateArray(lineLengths, 'options.lineLengths');
    this.#payload = clonePayload(payload);
    this.#lineLengths = lineLengths === undefined ? undefined : [...lineLengths];
  }

  get payload() {
    return clonePayload(this.#payload);
  }

  get lineLengths() {
    return this.#lineLengths === undefined ? undefined : [...this.#lineLengths];
  }

  #sorted() {
    if (this.#mappings !== undefined) return this.#mappings;
    const mappings = [];
    if (Array.isArray(this.#payload.sections)) {
      for (const { offset, map } of this.#payload.sections) parse(map, mappings, offset?.line ?? 0, offset?.column ?? 0);
    } else {
      parse(this.#payload, mappings);
    }
    return (this.#mappings = mappings.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
  }

  /** The last mapping that begins at or before a position, counted from 0; {} if there is none. */
  findEntry(lineOffset, columnOffset) {
    const mappings = this.#sorted();
    let low = 0;
    let high = mappings.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const [line, column] = mappings[middle];
      if (line < lineOffset || (line === lineOffset && column <= columnOffset)) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return {};
    const [generatedLine, generatedColumn, originalSource, originalLine, originalColumn, name] = mappings[low - 1];
    return { generatedLine, generatedColumn, originalSource, originalLine, originalColumn, name };
  }

  /** Where code at a position, counted from 1, comes from; {} if nobody knows. */
  findOrigin(lineNumber, columnNumber) {
    const range = this.findEntry(lineNumber - 1, columnNumber - 1);
    if (range.originalSource === undefined || range.originalLine === undefined || range.originalColumn === undefined) return {};
    return {
      name: range.name,
      fileName: range.originalSource,
      lineNumber: range.originalLine + lineNumber - range.generatedLine,
      columnNumber: range.originalColumn + columnNumber - range.generatedColumn,
    };
  }
}

module.exports = { SourceMap };

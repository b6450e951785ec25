'use strict';

// How util.inspect() lays entries out: on one line, one a line, or in columns.

const { getStringWidth } = require('#util/inspect_width');

// How the entries of a value are written: `key: value`, or array elements with extra `key: value` ones.
const kObjectType = 0;
const kArrayType = 1;
const kArrayExtrasType = 2;

const kColumnsLimit = 15;
const kSeparatorSpace = 2;
// A character cell is about this much taller than wide; columns are chosen to fill a square.
const kCharacterHeight = 2.5;

function chooseColumns(ctx, totalLength, maxLength, entries, count) {
  const actualMax = maxLength + kSeparatorSpace;
  if (actualMax * 3 + ctx.indentationLvl >= ctx.breakLength) return 0;
  if (totalLength / actualMax <= 5 && maxLength > 6) return 0;
  const averageBias = Math.sqrt(actualMax - totalLength / entries);
  const biasedMax = Math.max(actualMax - 3 - averageBias, 1);
  return Math.min(
    Math.round(Math.sqrt(kCharacterHeight * biasedMax * count) / biasedMax),
    Math.floor((ctx.breakLength - ctx.indentationLvl) / actualMax),
    ctx.compact * 4,
    kColumnsLimit,
  );
}

function columnWidths(lengths, columns) {
  const widths = [];
  for (let i = 0; i < columns; i++) {
    let width = 0;
    for (let j = i; j < lengths.length; j += columns) if (lengths[j] > width) width = lengths[j];
    widths.push(width + kSeparatorSpace);
  }
  return widths;
}

function isAllNumbers(value, count) {
  if (value === undefined) return true;
  for (let i = 0; i < count; i++) {
    if (typeof value[i] !== 'number' && typeof value[i] !== 'bigint') return false;
  }
  return true;
}

/** Joins the elements of a long array into rows of aligned columns, if they are short and alike enough. */
function groupArrayElements(ctx, output, value) {
  const hasMore = ctx.maxArrayLength < output.length;
  const count = hasMore ? output.length - 1 : output.length;
  const lengths = new Array(count);
  let totalLength = 0;
  let maxLength = 0;
  for (let i = 0; i < count; i++) {
    const length = getStringWidth(output[i], ctx.colors);
    lengths[i] = length;
    totalLength += length + kSeparatorSpace;
    if (length > maxLength) maxLength = length;
  }
  const columns = chooseColumns(ctx, totalLength, maxLength, output.length, count);
  if (columns <= 1) return output;
  const widths = columnWidths(lengths, columns);
  const alignRight = isAllNumbers(value, output.length);
  const rows = [];
  for (let i = 0; i < count; i += columns) {
    const last = Math.min(i + columns, count) - 1;
    let row = '';
    for (let j = i; j < last; j++) {
      const width = widths[j - i] + output[j].length - lengths[j];
      const cell = `${output[j]}, `;
      row += alignRight ? cell.padStart(width, ' ') : cell.padEnd(width, ' ');
    }
    if (alignRight) {
      row += output[last].padStart(widths[last - i] + output[last].length - lengths[last] - kSeparatorSpace, ' ');
    } else {
      row += output[last];
    }
    rows.push(row);
  }
  if (hasMore) rows.push(output[count]);
  return rows;
}

const kColors = /\u001b\[\d\d?m/g;

function isBelowBreakLength(ctx, output, start, base) {
  let totalLength = output.length + start;
  if (totalLength + output.length > ctx.breakLength) return false;
  for (let i = 0; i < output.length; i++) {
    totalLength += ctx.colors ? output[i].replace(kColors, '').length : output[i].length;
    if (totalLength > ctx.breakLength) return false;
  }
  return base === '' || !base.includes('\n');
}

/** Concatenation makes ropes: nested text is not copied on each level, as Array.prototype.join() would. */
function join(output, separator) {
  let text = '';
  if (output.length !== 0) {
    const last = output.length - 1;
    for (let i = 0; i < last; i++) text += output[i] + separator;
    text += output[last];
  }
  return text;
}

function reduceCompact(ctx, output, base, braces) {
  if (isBelowBreakLength(ctx, output, 0, base)) {
    return `${braces[0]}${base ? ` ${base}` : ''} ${join(output, ', ')} ${braces[1]}`;
  }
  const indentation = ' '.repeat(ctx.indentationLvl);
  const start = base === '' && braces[0].length === 1 ? ' ' : `${base ? ` ${base}` : ''}\n${indentation}  `;
  return `${braces[0]}${start}${join(output, `,\n${indentation}  `)} ${braces[1]}`;
}

/** Puts the formatted entries of one value together. */
function reduceToSingleString(ctx, output, base, braces, extrasType, recurseTimes, value = undefined) {
  if (ctx.compact === true) return reduceCompact(ctx, output, base, braces);
  const prefix = base ? `${base} ` : '';
  if (typeof ctx.compact === 'number' && ctx.compact >= 1) {
    const entries = output.length;
    if (extrasType === kArrayExtrasType && entries > 6) output = groupArrayElements(ctx, output, value);
    // The innermost `compact` levels share a line if they fit.
    if (ctx.currentDepth - recurseTimes < ctx.compact && entries === output.length) {
      const start = output.length + ctx.indentationLvl + braces[0].length + base.length + 10;
      if (isBelowBreakLength(ctx, output, start, base)) {
        const joined = join(output, ', ');
        if (!joined.includes('\n')) return `${prefix}${braces[0]} ${joined} ${braces[1]}`;
      }
    }
  }
  const indentation = `\n${' '.repeat(ctx.indentationLvl)}`;
  return `${prefix}${braces[0]}${indentation}  ${join(output, `,${indentation}  `)}${indentation}${braces[1]}`;
}

module.exports = { kArrayExtrasType, kArrayType, kObjectType, reduceToSingleString };

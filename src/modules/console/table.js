'use strict';

// console.table(): rows and columns of a box drawn with lines, and which cells a value has.

const { getStringWidth } = require('#util/inspect_width');
const { previewEntries } = binding('util');
const types = binding('types');

const kBox = {
  middleMiddle: '─', rowMiddle: '┼', topRight: '┐', topLeft: '┌', leftMiddle: '├', topMiddle: '┬', bottomRight: '┘',
  bottomLeft: '└', bottomMiddle: '┴', rightMiddle: '┤', left: '│ ', right: ' │', middle: ' │ ',
};

function renderRow(cells, widths) {
  let row = kBox.left;
  for (let i = 0; i < cells.length; i++) {
    row += cells[i] + ' '.repeat(widths[i] - getStringWidth(cells[i]));
    if (i !== cells.length - 1) row += kBox.middle;
  }
  return row + kBox.right;
}

/** @param {string[]} head @param {string[][]} columns */
function drawTable(head, columns) {
  const rows = [];
  const longest = Math.max(...columns.map((column) => column.length));
  const widths = head.map((title) => getStringWidth(title));
  for (let i = 0; i < head.length; i++) {
    const column = columns[i];
    for (let j = 0; j < longest; j++) {
      rows[j] ??= [];
      const cell = rows[j][i] = Object.hasOwn(column, j) ? column[j] : '';
      widths[i] = Math.max(widths[i], getStringWidth(cell));
    }
  }
  const lines = widths.map((width) => kBox.middleMiddle.repeat(width + 2));
  let text = `${kBox.topLeft}${lines.join(kBox.topMiddle)}${kBox.topRight}\n${renderRow(head, widths)}\n` +
    `${kBox.leftMiddle}${lines.join(kBox.rowMiddle)}${kBox.rightMiddle}\n`;
  for (const row of rows) text += `${renderRow(row, widths)}\n`;
  return `${text}${kBox.bottomLeft}${lines.join(kBox.bottomMiddle)}${kBox.bottomRight}`;
}

const kIterationIndex = '(iteration index)';
const kIndex = '(index)';
const kKey = 'Key';
const kValues = 'Values';

const isPrimitive = (value) => value === null || (typeof value !== 'object' && typeof value !== 'function');
const indices = (length) => Array.from({ length }, (_, i) => `${i}`);

function mapTable(data, isIterator, show) {
  const keys = [];
  const values = [];
  if (isIterator) {
    for (let i = 0; i < data.length / 2; i++) {
      keys.push(show(data[i * 2]));
      values.push(show(data[i * 2 + 1]));
    }
  } else {
    for (const { 0: key, 1: value } of data) {
      keys.push(show(key));
      values.push(show(value));
    }
  }
  return drawTable([kIterationIndex, kKey, kValues], [indices(keys.length), keys, values]);
}

function setTable(items, show) {
  const values = [];
  for (const item of items) values.push(show(item));
  return drawTable([kIterationIndex, kValues], [indices(values.length), values]);
}

function objectTable(data, properties, show) {
  const columns = { __proto__: null };
  let hasPrimitives = false;
  const values = [];
  const rowKeys = Object.keys(data);
  for (let i = 0; i < rowKeys.length; i++) {
    const item = data[rowKeys[i]];
    const isSimple = isPrimitive(item);
    if (isSimple && properties === undefined) {
      hasPrimitives = true;
      values[i] = show(item);
      continue;
    }
    for (const key of properties ?? Object.keys(item)) {
      columns[key] ??= [];
      columns[key][i] = (isSimple && properties) || !Object.hasOwn(item, key) ? '' : show(item[key]);
    }
  }
  const names = Object.keys(columns);
  const head = [kIndex, ...names];
  const cells = [rowKeys, ...names.map((name) => columns[name])];
  if (hasPrimitives) {
    head.push(kValues);
    cells.push(values);
  }
  return drawTable(head, cells);
}

/**
 * @param {object} data @param {string[]} [properties] the columns to show
 * @param {(value: unknown) => string} show
 */
function makeTable(data, properties, show) {
  const isMapIterator = types.isMapIterator(data);
  if (isMapIterator) {
    const { 0: entries, 1: isKeyValue } = previewEntries(data, true);
    return isKeyValue ? mapTable(entries, true, show) : setTable(entries, show);
  }
  if (types.isMap(data)) return mapTable(data, false, show);
  if (types.isSetIterator(data)) return setTable(previewEntries(data), show);
  if (types.isSet(data)) return setTable(data, show);
  return objectTable(data, properties, show);
}

module.exports = { makeTable };

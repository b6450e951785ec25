'use strict';

// Primitives as util.inspect() shows them.

const { quote } = require('#util/inspect_text');

const kMinLineWidth = 16;

function addSeparators(digits) {
  let result = '';
  let end = digits.length;
  const start = digits[0] === '-' ? 1 : 0;
  for (; end >= start + 4; end -= 3) result = `_${digits.slice(end - 3, end)}${result}`;
  return end === digits.length ? digits : `${digits.slice(0, end)}${result}`;
}

function addSeparatorsToFraction(digits) {
  let result = '';
  let at = 0;
  for (; at < digits.length - 3; at += 3) result += `${digits.slice(at, at + 3)}_`;
  return at === 0 ? digits : `${result}${digits.slice(at)}`;
}

function formatNumber(stylize, number, numericSeparator) {
  if (!numericSeparator) return stylize(Object.is(number, -0) ? '-0' : `${number}`, 'number');
  const integer = Math.trunc(number);
  const text = String(integer);
  if (integer === number) {
    if (!Number.isFinite(number) || text.includes('e')) return stylize(text, 'number');
    return stylize(addSeparators(text), 'number');
  }
  if (Number.isNaN(number)) return stylize(text, 'number');
  const whole = String(number);
  const point = whole.indexOf('.');
  if (point === -1) return stylize(whole, 'number');
  const fraction = addSeparatorsToFraction(whole.slice(point + 1));
  return stylize(`${addSeparators(whole.slice(0, point))}.${fraction}`, 'number');
}

function formatBigInt(stylize, bigint, numericSeparator) {
  const text = String(bigint);
  return stylize(`${numericSeparator ? addSeparators(text) : text}n`, 'bigint');
}

function formatString(stylize, value, ctx) {
  let trailer = '';
  if (value.length > ctx.maxStringLength) {
    const remaining = value.length - ctx.maxStringLength;
    value = value.slice(0, ctx.maxStringLength);
    trailer = `... ${remaining} more character${remaining > 1 ? 's' : ''}`;
  }
  if (ctx.compact !== true && value.length > kMinLineWidth &&
      value.length > ctx.breakLength - ctx.indentationLvl - 4 && value.includes('\n')) {
    const lines = value.split(/(?<=\n)/).map((line) => stylize(quote(line), 'string'));
    return lines.join(` +\n${' '.repeat(ctx.indentationLvl + 2)}`) + trailer;
  }
  return stylize(quote(value), 'string') + trailer;
}

function formatPrimitive(stylize, value, ctx) {
  switch (typeof value) {
    case 'string': return formatString(stylize, value, ctx);
    case 'number': return formatNumber(stylize, value, ctx.numericSeparator);
    case 'bigint': return formatBigInt(stylize, value, ctx.numericSeparator);
    case 'boolean': return stylize(`${value}`, 'boolean');
    case 'undefined': return stylize('undefined', 'undefined');
    default: return stylize(Symbol.prototype.toString.call(value), 'symbol');
  }
}

module.exports = { formatBigInt, formatNumber, formatPrimitive };

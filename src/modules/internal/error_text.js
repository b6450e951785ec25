'use strict';

// Phrases shared by the error messages: lists, descriptions of received values, printf-like templates.

let inspectModule;
const lazyInspect = () => inspectModule ??= require('#util/inspect');

/** util.inspect() with the defaults; when a custom inspector throws, once more without custom inspectors. */
function inspectValue(value, options = undefined) {
  const { inspect } = lazyInspect();
  try {
    return inspect(value, options);
  } catch {
    return inspect(value, { ...options, customInspect: false });
  }
}

/** 'a', 'a and b', 'a, b, and c'. */
function formatList(array, conjunction = 'and') {
  switch (array.length) {
    case 0: return '';
    case 1: return `${array[0]}`;
    case 2: return `${array[0]} ${conjunction} ${array[1]}`;
    default: return `${array.slice(0, -1).join(', ')}, ${conjunction} ${array[array.length - 1]}`;
  }
}

function addNumericalSeparator(digits) {
  let result = '';
  let end = digits.length;
  const start = digits[0] === '-' ? 1 : 0;
  for (; end >= start + 4; end -= 3) result = `_${digits.slice(end - 3, end)}${result}`;
  return `${digits.slice(0, end)}${result}`;
}

/** How ERR_INVALID_ARG_TYPE names what it got. */
function determineSpecificType(value) {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'undefined': return 'undefined';
    case 'function': return `function ${value.name}`;
    case 'bigint': return `type bigint (${value}n)`;
    case 'number': return `type number (${Object.is(value, -0) ? '-0' : value})`;
    case 'boolean': return `type boolean (${value})`;
    case 'symbol': return `type symbol (${String(value)})`;
    case 'string': {
      const text = value.length > 28 ? `${value.slice(0, 25)}...` : value;
      return `type string (${text.includes("'") ? JSON.stringify(text) : `'${text}'`})`;
    }
    default:
      if (value.constructor && 'name' in Object(value.constructor)) {
        return `an instance of ${value.constructor.name}`;
      }
      return inspectValue(value, { depth: -1 });
  }
}

/** @param {string} template with %s and %d @param {unknown[]} args */
function fillTemplate(template, args) {
  if (!template.includes('%')) return template;
  let next = 0;
  return template.replace(/%([sd])/g, (whole, kind) => {
    if (next >= args.length) return whole;
    const arg = args[next++];
    if (kind === 'd') return Object.is(arg, -0) ? '-0' : `${Number(arg)}`;
    if (typeof arg === 'string') return arg;
    return lazyInspect().format('%s', arg);
  });
}

module.exports = { inspectValue, formatList, addNumericalSeparator, determineSpecificType, fillTemplate };

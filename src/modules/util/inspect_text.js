'use strict';

// Text for util.inspect(): quoting and colours.

// Control characters, quotes, backslashes and lone surrogates need escaping.
const kEscapeTest = /[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const kEscape = /[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const kEscapeTestDouble = /[\x00-\x1f\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const kEscapeDouble = /[\x00-\x1f\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const kNamedEscapes = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 39: "\\'", 92: '\\\\' };

function escapeCharacter(text) {
  const code = text.charCodeAt(0);
  const named = kNamedEscapes[code];
  if (named !== undefined) return named;
  if (code > 0xFF) return `\\u${code.toString(16)}`;
  return `\\x${code < 16 ? '0' : ''}${code.toString(16).toUpperCase()}`;
}

/** A JavaScript literal for the string: single quotes, unless others save an escape. */
function quote(text) {
  let test = kEscapeTest;
  let replace = kEscape;
  let mark = "'";
  if (text.includes("'")) {
    if (!text.includes('"')) mark = '"';
    else if (!text.includes('`') && !text.includes('${')) mark = '`';
    if (mark !== "'") {
      test = kEscapeTestDouble;
      replace = kEscapeDouble;
    }
  }
  if (!test.test(text)) return mark + text + mark;
  return mark + text.replace(replace, escapeCharacter) + mark;
}

/** Escapes, without quotes around. */
function escapeText(text) {
  return text.replace(kEscape, escapeCharacter);
}

const colors = {
  __proto__: null,
  reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], blink: [5, 25],
  inverse: [7, 27], hidden: [8, 28], strikethrough: [9, 29], doubleunderline: [21, 24],
  black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39], magenta: [35, 39],
  cyan: [36, 39], white: [37, 39],
  bgBlack: [40, 49], bgRed: [41, 49], bgGreen: [42, 49], bgYellow: [43, 49], bgBlue: [44, 49],
  bgMagenta: [45, 49], bgCyan: [46, 49], bgWhite: [47, 49],
  framed: [51, 54], overlined: [53, 55],
  gray: [90, 39], redBright: [91, 39], greenBright: [92, 39], yellowBright: [93, 39], blueBright: [94, 39],
  magentaBright: [95, 39], cyanBright: [96, 39], whiteBright: [97, 39],
  bgGray: [100, 49], bgRedBright: [101, 49], bgGreenBright: [102, 49], bgYellowBright: [103, 49],
  bgBlueBright: [104, 49], bgMagentaBright: [105, 49], bgCyanBright: [106, 49], bgWhiteBright: [107, 49],
};

const kColorAliases = {
  gray: ['grey', 'blackBright'], bgGray: ['bgGrey', 'bgBlackBright'], dim: ['faint'],
  strikethrough: ['crossedout', 'strikeThrough', 'crossedOut'], hidden: ['conceal'],
  inverse: ['swapColors', 'swapcolors'], doubleunderline: ['doubleUnderline'],
};
for (const target of Object.keys(kColorAliases)) {
  for (const alias of kColorAliases[target]) {
    Object.defineProperty(colors, alias, {
      __proto__: null,
      get() { return this[target]; },
      set(value) { this[target] = value; },
      configurable: true,
      enumerable: false,
    });
  }
}

const styles = {
  __proto__: null,
  special: 'cyan',
  number: 'yellow',
  bigint: 'yellow',
  boolean: 'yellow',
  undefined: 'grey',
  null: 'bold',
  string: 'green',
  symbol: 'green',
  date: 'magenta',
  regexp: 'red',
  module: 'underline',
};

function stylizeWithColor(text, styleType) {
  const style = styles[styleType];
  if (style === undefined) return text;
  const color = colors[style];
  if (color !== undefined) return `\u001b[${color[0]}m${text}\u001b[${color[1]}m`;
  return text;
}

const stylizeNoColor = (text) => text;

module.exports = { colors, escapeText, quote, styles, stylizeNoColor, stylizeWithColor };

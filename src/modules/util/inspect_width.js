'use strict';

// How many columns text takes on a terminal. The ranges are East Asian Width "wide" and "fullwidth" of
// Unicode 16 together with what has emoji presentation.

const kWideRanges = [
  '1100-115f 231a-231b 2329-232a 23e9-23ec 23f0 23f3 25fd-25fe 2614-2615 2630-2637 2648-2653 267f',
  '268a-268f 2693 26a1 26aa-26ab 26bd-26be 26c4-26c5 26ce 26d4 26ea 26f2-26f3 26f5 26fa 26fd 2705',
  '270a-270b 2728 274c 274e 2753-2755 2757 2795-2797 27b0 27bf 2b1b-2b1c 2b50 2b55 2e80-2e99 2e9b-2ef3',
  '2f00-2fd5 2ff0-303e 3041-3096 3099-30ff 3105-312f 3131-318e 3190-31e5 31ef-321e 3220-3247 3250-a48c',
  'a490-a4c6 a960-a97c ac00-d7a3 f900-faff fe10-fe19 fe30-fe52 fe54-fe66 fe68-fe6b ff01-ff60 ffe0-ffe6',
  '16fe0-16fe4 16ff0-16ff1 17000-187f7 18800-18cd5 18cff-18d08 1aff0-1aff3 1aff5-1affb 1affd-1affe',
  '1b000-1b122 1b132 1b150-1b152 1b155 1b164-1b167 1b170-1b2fb 1d15e-1d15f 1d1bb-1d1bc 1d300-1d356',
  '1d360-1d376 1f004 1f0cf 1f18e 1f191-1f19a 1f1e6-1f202 1f210-1f23b 1f240-1f248 1f250-1f251',
  '1f260-1f265 1f300-1f320 1f32d-1f335 1f337-1f37c 1f37e-1f393 1f3a0-1f3ca 1f3cf-1f3d3 1f3e0-1f3f0',
  '1f3f4 1f3f8-1f43e 1f440 1f442-1f4fc 1f4ff-1f53d 1f54b-1f54e 1f550-1f567 1f57a 1f595-1f596 1f5a4',
  '1f5fb-1f64f 1f680-1f6c5 1f6cc 1f6d0-1f6d2 1f6d5-1f6d7 1f6dc-1f6df 1f6eb-1f6ec 1f6f4-1f6fc',
  '1f7e0-1f7eb 1f7f0 1f90c-1f93a 1f93c-1f945 1f947-1f9ff 1fa70-1fa7c 1fa80-1fa89 1fa8f-1fac6',
  '1face-1fadc 1fadf-1fae9 1faf0-1faf8 20000-2fffd 30000-3fffd',
];

let wide;
function isWide(character) {
  wide ??= new RegExp(`^[${kWideRanges.join(' ').split(' ').map((range) => (
    range.split('-').map((hex) => `\\u{${hex}}`).join('-'))).join('')}]$`, 'u');
  return wide.test(character);
}

// Escape sequences of terminals: CSI, OSC and relatives.
const kAnsi = /[\u001B\u009B][[\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001B\u005C|\u009C))|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]))/g;

const stripAnsi = (text) => (text.includes('\u001b') || text.includes('\u009b') ? text.replace(kAnsi, '') : text);

const kPlainText = /^[\x20-\x7e]*$/;
const kZeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;

/** Whether every character takes one column; a loop is faster than the expression for what is short. */
function isPlain(text) {
  if (text.length > 24) return kPlainText.test(text);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

/** Columns that the text takes on a terminal. */
function getStringWidth(text, removeControlCharacters = true) {
  if (isPlain(text)) return text.length;
  if (removeControlCharacters) text = stripAnsi(text);
  let width = 0;
  for (const character of text.normalize('NFC')) {
    if (character < '\x7f' && character >= ' ') width++;
    else if (isWide(character)) width += 2;
    else if (character === '\xad' || !kZeroWidth.test(character)) width++;
  }
  return width;
}

module.exports = { getStringWidth, stripAnsi };

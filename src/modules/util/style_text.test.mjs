// util.styleText() survives nesting and refuses unknown styles.
import assert from 'node:assert';
import { stripVTControlCharacters, styleText } from 'node:util';
import { test } from '../../../test/harness.mjs';

const plain = { validateStream: false };

test('styles open in order and close in reverse', () => {
  assert.strictEqual(styleText(['red', 'bold'], 'x', plain), '\u001b[31m\u001b[1mx\u001b[22m\u001b[39m');
  assert.strictEqual(styleText('none', 'x', plain), 'x');
});

test('an inner style does not end the outer one', () => {
  const inner = styleText('blue', 'b', plain);
  assert.strictEqual(styleText('red', `a${inner}c`, plain), '\u001b[31ma\u001b[34mb\u001b[31mc\u001b[39m');
  assert.strictEqual(styleText('bold', `${styleText('dim', 'd', plain)}b`, plain),
    '\u001b[1m\u001b[2md\u001b[22m\u001b[1mb\u001b[22m');
});

test('bad arguments', () => {
  assert.throws(() => styleText('nope', 'x'), { code: 'ERR_INVALID_ARG_VALUE' });
  assert.throws(() => styleText('red', 1), { code: 'ERR_INVALID_ARG_TYPE' });
  assert.throws(() => styleText('red', 'x', { stream: {} }), { code: 'ERR_INVALID_ARG_TYPE' });
});

test('stripVTControlCharacters takes colours and links out', () => {
  assert.strictEqual(stripVTControlCharacters('\u001b[31mfoo\u001b[39m'), 'foo');
  assert.strictEqual(stripVTControlCharacters('\u001b]8;;http://x\u0007link\u001b]8;;\u0007'), 'link');
});

import assert from 'node:assert';
import querystring from 'node:querystring';
import { test } from '../../../test/harness.mjs';

test('parse gathers repeated keys and leaves nonsense as it is', () => {
  const parsed = querystring.parse('a=1&a=2&b=%zz&c=a+b&d');
  assert.deepStrictEqual({ ...parsed }, { a: ['1', '2'], b: '%zz', c: 'a b', d: '' });
});

test('parse stops after maxKeys pieces', () => {
  assert.deepStrictEqual(Object.keys(querystring.parse('a&b&c', null, null, { maxKeys: 2 })), ['a', 'b']);
});

test('stringify escapes and repeats', () => {
  assert.strictEqual(querystring.stringify({ 'a b': ['é', 1], 'n': NaN, 'big': 1n }), 'a%20b=%C3%A9&a%20b=1&n=&big=1');
});

test('a high surrogate at the end cannot be escaped', () => {
  assert.throws(() => querystring.escape('\ud800'), { code: 'ERR_INVALID_URI' });
});

test('separators of several characters', () => {
  assert.deepStrictEqual({ ...querystring.parse('a==1&&b==2', '&&', '==') }, { a: '1', b: '2' });
});

test('pairs with and without a value by turns', () => {
  assert.deepStrictEqual({ ...querystring.parse('a&b=1&c&d=2=3&e') }, { a: '', b: '1', c: '', d: '2=3', e: '' });
  assert.deepStrictEqual({ ...querystring.parse('a;b::1;c', ';', '::') }, { a: '', b: '1', c: '' });
  assert.strictEqual(querystring.escape('\ud800\udc00'), '%F0%90%80%80');
  assert.throws(() => querystring.escape('a\ud800'), { code: 'ERR_INVALID_URI' });
});

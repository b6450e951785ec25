import assert from 'node:assert';
import { inspect } from 'node:util';
import { test } from '../../test/harness.mjs';

test('getters cut the parts out of the href', () => {
  const url = new URL('/a/../b?x=1&y=%20#h', 'https://user:pw@Example.org:8080/base');
  assert.deepStrictEqual(
    [url.href, url.origin, url.username, url.password, url.host, url.hostname, url.port, url.pathname, url.search, url.hash],
    ['https://user:pw@example.org:8080/b?x=1&y=%20#h', 'https://example.org:8080', 'user', 'pw', 'example.org:8080',
     'example.org', '8080', '/b', '?x=1&y=%20', '#h']);
  assert.strictEqual(new URL('blob:https://a/x').origin, 'https://a');
  assert.strictEqual(new URL('mailto:a').origin, 'null');
});

test('setters and searchParams work on one another', () => {
  const url = new URL('http://a/');
  url.searchParams.append('k v', '\u00e9');
  assert.strictEqual(url.href, 'http://a/?k+v=%C3%A9');
  url.search = '?z=1';
  assert.strictEqual(url.searchParams.get('z'), '1');
  url.host = 'b:99';
  url.protocol = 'https';
  url.hash = 'x y';
  assert.strictEqual(url.href, 'https://b:99/?z=1#x%20y');
});

test('an invalid URL is a TypeError with its input', () => {
  assert.throws(() => new URL('x', 'y'), { name: 'TypeError', code: 'ERR_INVALID_URL', input: 'x', base: 'y' });
  assert.strictEqual(URL.parse('x'), null);
  assert.ok(URL.canParse('x', 'http://a'));
});

test('inspection', () => {
  assert.match(inspect(new URL('http://a/?b=c')), /^URL \{\n {2}href: 'http:\/\/a\/\?b=c',/);
  assert.strictEqual(inspect(new URLSearchParams('a=1&b')), "URLSearchParams { 'a' => '1', 'b' => '' }");
});

test('URLSearchParams takes strings, sequences, records', () => {
  assert.strictEqual(`${new URLSearchParams('?a=1&a=2&b=%zz+')}`, 'a=1&a=2&b=%25zz+');
  assert.strictEqual(`${new URLSearchParams([['a', 'b'], new Set(['c', 'd'])])}`, 'a=b&c=d');
  assert.strictEqual(`${new URLSearchParams({ a: 1, b: '~!' })}`, 'a=1&b=%7E%21');
  assert.throws(() => new URLSearchParams([['a']]), { code: 'ERR_INVALID_TUPLE' });
  assert.throws(() => new URLSearchParams({ [Symbol.iterator]: 1 }), { code: 'ERR_ARG_NOT_ITERABLE' });
  const params = new URLSearchParams('b=2&a=1&b=3');
  params.sort();
  assert.strictEqual(`${params}`, 'a=1&b=2&b=3');
  params.delete('b', '2');
  params.set('a', 'x');
  assert.deepStrictEqual([...params], [['a', 'x'], ['b', '3']]);
});

test('a query of many names without values is read once', () => {
  assert.strictEqual(new URLSearchParams('a&'.repeat(500_000)).size, 500_000);
  assert.deepStrictEqual([...new URLSearchParams('a&=b&c=d=e&&%66=+')], [['a', ''], ['', 'b'], ['c', 'd=e'], ['f', ' ']]);
});

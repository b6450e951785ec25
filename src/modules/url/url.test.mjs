import assert from 'node:assert';
import url from 'node:url';
import { test } from '../../../test/harness.mjs';

test('the legacy parser keeps its own rules', () => {
  const parsed = url.parse('http://user:p%40ss@HOST.com:80/a b?x=1#h', true);
  assert.strictEqual(parsed.auth, 'user:p@ss');
  assert.strictEqual(parsed.host, 'host.com:80');
  assert.strictEqual(parsed.pathname, '/a%20b');
  assert.strictEqual(parsed.query.x, '1');
  assert.strictEqual(parsed.href, 'http://user:p%40ss@host.com:80/a%20b?x=1#h');
  assert.strictEqual(url.parse('//a/b').host, null);
  assert.strictEqual(url.parse('//a/b', false, true).host, 'a');
  assert.strictEqual(url.parse('http://a\tb/').host, 'ab');
  assert.throws(() => url.parse('http://[::1'), { code: 'ERR_INVALID_URL' });
});

test('resolve and format', () => {
  assert.strictEqual(url.resolve('/one/two/three', '../four'), '/one/four');
  assert.strictEqual(url.resolve('http://a/b/c', '//d/e'), 'http://d/e');
  assert.strictEqual(url.resolve('mailto:a@b', 'c@d'), 'mailto:c@d');
  assert.strictEqual(url.format({ protocol: 'http', host: 'a', pathname: 'b', query: { x: [1, 2] } }), 'http://a/b?x=1&x=2');
  const international = new URL('http://u:p@xn--bcher-kva.de/?q#h');
  assert.strictEqual(url.format(international, { unicode: true, auth: false, fragment: false }), 'http://b\u00fccher.de/?q');
});

test('file paths and file URLs', () => {
  assert.strictEqual(url.pathToFileURL('/a b?c#d%e').href, 'file:///a%20b%3Fc%23d%25e');
  assert.strictEqual(url.fileURLToPath('file:///a%20b'), '/a b');
  assert.strictEqual(url.fileURLToPath('file://h/a', { windows: true }), '\\\\h\\a');
  assert.strictEqual(url.pathToFileURL('C:\\a\\', { windows: true }).href, 'file:///C:/a/');
  assert.throws(() => url.fileURLToPath('file:///a%2fb'), { code: 'ERR_INVALID_FILE_URL_PATH' });
  assert.throws(() => url.fileURLToPath('http://a'), { code: 'ERR_INVALID_URL_SCHEME' });
  assert.strictEqual(url.fileURLToPathBuffer('file:///%ff').toString('latin1'), '/\u00ff');
});

test('domains and http options', () => {
  assert.strictEqual(url.domainToASCII('espa\u00f1ol.com'), 'xn--espaol-zwa.com');
  assert.strictEqual(url.domainToASCII('xn--i\u00f1valid.com'), '');
  assert.strictEqual(url.domainToUnicode('xn--espaol-zwa.com'), 'espa\u00f1ol.com');
  const options = url.urlToHttpOptions(new URL('http://u%20:p@[::1]:8/a?b'));
  assert.strictEqual(options.hostname, '::1');
  assert.strictEqual(options.auth, 'u :p');
  assert.strictEqual(options.path, '/a?b');
});

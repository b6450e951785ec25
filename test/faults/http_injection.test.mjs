// CR or LF in what a program sends: ERR_INVALID_CHAR and its kin, and nothing leaves.
import assert from 'node:assert';
import http from 'node:http';
import { test } from '../harness.mjs';
import { exchange, listen } from './raw_http.mjs';

test('in the answer: header name, value, status message', async () => {
  const codes = [];
  const attempt = (call) => {
    try {
      call();
    } catch (error) {
      codes.push(error.code);
    }
  };
  const { port, close } = await listen((req, res) => {
    attempt(() => res.setHeader('a\r\nb', 'c'));
    attempt(() => res.setHeader('a', 'c\r\nb: d'));
    attempt(() => res.writeHead(200, { 'x\n': 'y' }));
    attempt(() => res.writeHead(200, { x: 'y\r\nz: 1' }));
    attempt(() => res.writeHead(200, 'OK\r\nz: 1'));
    attempt(() => res.writeEarlyHints({ link: '</a>; rel=x', 'x\r\ny': 'z' }));
    attempt(() => res.addTrailers({ t: 'u\r\nz: 1' }));
    attempt(() => res.addTrailers({ 't\n': 'u' }));
    res.statusMessage = 'OK\r\nz: 1';
    attempt(() => res.end('never'));
    res.statusMessage = '';
    res.end('sent');
  });
  const answer = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  assert.deepStrictEqual(codes, ['ERR_INVALID_HTTP_TOKEN', 'ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN',
    'ERR_INVALID_CHAR', 'ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN', 'ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN',
    'ERR_INVALID_CHAR']);
  assert.doesNotMatch(answer, /^z:/m);
  await close();
});

test('in the request: path, method, header', () => {
  const options = { port: 1, host: '127.0.0.1' };
  assert.throws(() => http.request({ ...options, path: '/a\r\nb' }), { code: 'ERR_UNESCAPED_CHARACTERS' });
  assert.throws(() => http.request({ ...options, method: 'GET\r\n' }), { code: 'ERR_INVALID_HTTP_TOKEN' });
  assert.throws(() => http.request({ ...options, headers: { a: 'b\r\nc' } }), { code: 'ERR_INVALID_CHAR' });
  assert.throws(() => http.request({ ...options, headers: { 'a\r\n': 'b' } }), { code: 'ERR_INVALID_HTTP_TOKEN' });
});

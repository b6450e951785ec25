// A socket over any Duplex, and where libraries find its class.
import assert from 'node:assert';
import tls from 'node:tls';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from '../../../test/harness.mjs';

process.on('warning', () => {});
const JSStreamSocket = createRequire(import.meta.url)('_stream_wrap');

test('bytes go both ways and both ends end', async () => {
  const socket = new JSStreamSocket(new PassThrough());
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => { text += chunk; });
  socket.write('hello ');
  socket.end('bye');
  await once(socket, 'close');
  assert.strictEqual(text, 'hello bye');
});

test('a stream of strings is refused', async () => {
  const stream = new PassThrough().setEncoding('utf8');
  const socket = new JSStreamSocket(stream);
  socket.resume();
  const refused = once(socket, 'error');
  stream.write('a');
  const [error] = await refused;
  assert.strictEqual(error.code, 'ERR_STREAM_WRAP');
});

test('a TLS socket over such a stream shows the class', () => {
  const socket = new tls.TLSSocket(new PassThrough());
  assert.strictEqual(socket._handle._parentWrap.constructor, JSStreamSocket);
  socket.destroy();
});

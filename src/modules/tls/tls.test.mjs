// TLS: trust, data both ways, ALPN and SNI, and what a peer without TLS gets..
import assert from 'node:assert';
import net from 'node:net';
import tls from 'node:tls';
import https from 'node:https';
import { once } from 'node:events';
import { test } from '../../../test/harness.mjs';
import { cert, key } from './fixtures.mjs';

async function serve(options, listener) {
  const server = tls.createServer({ key, cert, ...options }, listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: server.address().port };
}

test('a certificate that is trusted, and data both ways', async () => {
  const { server, port } = await serve({}, (socket) => socket.pipe(socket));
  const socket = tls.connect({ port, host: '127.0.0.1', ca: cert, servername: 'localhost' });
  await once(socket, 'secureConnect');
  assert.ok(socket.authorized && socket.encrypted);
  assert.strictEqual(socket.getProtocol(), 'TLSv1.3');
  assert.strictEqual(socket.getPeerCertificate().subject.CN, 'localhost');
  const sent = Buffer.alloc(300_000, 'x');
  socket.end(sent);
  const chunks = [];
  for await (const chunk of socket) chunks.push(chunk);
  assert.deepStrictEqual(Buffer.concat(chunks), sent);
  server.close();
});

test('a certificate that is not trusted', async () => {
  const { server, port } = await serve({}, () => assert.fail('accepted'));
  server.on('tlsClientError', () => {});
  const socket = tls.connect({ port, host: '127.0.0.1' });
  const [error] = await once(socket, 'error');
  assert.strictEqual(error.code, 'DEPTH_ZERO_SELF_SIGNED_CERT');
  server.close();
});

test('a certificate for another name', async () => {
  const { server, port } = await serve({}, () => assert.fail('accepted'));
  server.on('tlsClientError', () => {});
  const socket = tls.connect({ port, host: '127.0.0.1', ca: cert, servername: 'example.org' });
  const [error] = await once(socket, 'error');
  assert.strictEqual(error.code, 'ERR_TLS_CERT_ALTNAME_INVALID');
  server.close();
});

test('ALPN and SNI', async () => {
  const names = [];
  const SNICallback = (name, callback) => {
    names.push(name);
    setImmediate(callback, null, tls.createSecureContext({ key, cert }));
  };
  const options = { SNICallback, ALPNProtocols: ['b'] };
  const { server, port } = await serve(options, (socket) => socket.end(socket.alpnProtocol));
  const socket = tls.connect({ port, host: '127.0.0.1', ca: cert, servername: 'localhost', ALPNProtocols: ['a', 'b'] });
  const [chunk] = await once(socket, 'data');
  assert.strictEqual(`${chunk} ${socket.alpnProtocol} ${names}`, 'b b localhost');
  socket.destroy();
  server.close();
});

test('a peer that speaks no TLS', async () => {
  const { server, port } = await serve({}, () => assert.fail('accepted'));
  const told = once(server, 'tlsClientError');
  net.connect(port, '127.0.0.1').end('GET / HTTP/1.0\r\n\r\n').resume().on('error', () => {});
  assert.match((await told)[0].code, /^ERR_SSL_/);
  server.close();
});

test('over a stream that is no socket', async () => {
  const { server, port } = await serve({}, (socket) => socket.end('hello'));
  const raw = net.connect(port, '127.0.0.1');
  const { Duplex } = await import('node:stream');
  const duplex = Duplex.from({ readable: raw, writable: raw });
  const socket = tls.connect({ socket: duplex, ca: cert, servername: 'localhost' });
  const [chunk] = await once(socket, 'data');
  assert.strictEqual(chunk.toString(), 'hello');
  socket.destroy();
  raw.destroy();
  server.close();
});

test('https', async () => {
  const server = https.createServer({ key, cert }, (req, res) => res.end(`${req.method} ${req.url}`)).listen(0);
  await once(server, 'listening');
  const req = https.get({ port: server.address().port, path: '/x', ca: cert, servername: 'localhost', agent: false });
  const [res] = await once(req, 'response');
  let text = '';
  for await (const chunk of res) text += chunk;
  assert.strictEqual(text, 'GET /x');
  server.close();
});

test('what is no key', () => {
  assert.throws(() => tls.createSecureContext({ cert: 'x' }), { code: 'ERR_OSSL_PEM_NO_START_LINE' });
  assert.throws(() => tls.createSecureContext({ ciphers: 'zz' }), { code: 'ERR_SSL_NO_CIPHER_MATCH' });
});

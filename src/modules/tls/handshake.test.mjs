// Handshakes that the program has a part in: stored sessions, renegotiation, alerts, refused clients.
import assert from 'node:assert';
import tls from 'node:tls';
import { once } from 'node:events';
import { spawnSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';
import { cert, key } from './fixtures.mjs';

const SSL_OP_NO_TICKET = 0x4000;

async function serve(options, listener) {
  const server = tls.createServer({ key, cert, ...options }, listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, to: { port: server.address().port, host: '127.0.0.1', ca: cert, servername: 'localhost' } };
}

test('a session is stored by the program and found by its id', async () => {
  const store = new Map();
  const asked = [];
  const { server, to } = await serve({ maxVersion: 'TLSv1.2', secureOptions: SSL_OP_NO_TICKET }, (s) => s.end('x'));
  server.on('newSession', (id, session, done) => {
    store.set(id.toString('hex'), session);
    setImmediate(done);
  });
  server.on('resumeSession', (id, callback) => {
    asked.push(id.toString('hex'));
    setImmediate(callback, null, store.get(asked.at(-1)) ?? null);
  });
  let session;
  for (const reused of [false, true]) {
    const socket = tls.connect({ ...to, session, maxVersion: 'TLSv1.2' });
    await once(socket, 'secureConnect');
    assert.strictEqual(socket.isSessionReused(), reused);
    session = socket.getSession();
    socket.resume();
    await once(socket, 'close');
  }
  assert.deepStrictEqual([store.size, asked.length], [1, 1]);
  server.close();
});

test("what hears of 'session' finds that session", async () => {
  const { server, to } = await serve({}, (socket) => socket.end('x'));
  const socket = tls.connect(to).resume();
  socket.on('session', (session) => assert.deepStrictEqual(session, socket.getSession()));
  await once(socket, 'close');
  server.close();
});

test('renegotiation goes on while nobody reads, and tells both sides', async () => {
  const { server, to } = await serve({ maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('secure', () => socket.write('again '));
    socket.on('error', () => {});
    socket.write('first ');
  });
  const socket = tls.connect(to);
  await once(socket, 'secureConnect');
  await new Promise((resolve, reject) => socket.renegotiate({}, (error) => (error ? reject(error) : resolve())));
  await new Promise((resolve, reject) => socket.renegotiate({}, (error) => (error ? reject(error) : resolve())));
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
    if (text === 'first again again ') socket.destroy();
  });
  await once(socket, 'close');
  server.close();
});

test('a client without a certificate is told why, by an alert after its handshake', async () => {
  const { server, to } = await serve({ requestCert: true, ca: cert }, () => assert.fail('accepted'));
  const refused = once(server, 'tlsClientError');
  const [error] = await once(tls.connect(to), 'error');
  assert.strictEqual(error.code, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED');
  assert.strictEqual((await refused)[0].code, 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE');
  server.close();
});

test("older ciphers leave TLS 1.3's suites alone", async () => {
  const { server, to } = await serve({ ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }, (socket) => socket.end());
  const socket = tls.connect(to).resume();
  await once(socket, 'secureConnect');
  assert.strictEqual(socket.getCipher().name, 'TLS_AES_256_GCM_SHA384');
  await once(socket, 'close');
  server.close();
});

test('SSLv23_method keeps the lowest version that is allowed', async () => {
  const { server, to } = await serve({ secureProtocol: 'SSLv23_method', ciphers: 'DEFAULT@SECLEVEL=0' });
  server.on('tlsClientError', () => {});
  const [error] = await once(tls.connect({ ...to, secureProtocol: 'TLSv1_1_method', ciphers: 'DEFAULT@SECLEVEL=0' }),
                             'error');
  assert.strictEqual(error.code, 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  server.close();
});

test('a signal that is aborted already', async () => {
  const socket = new tls.TLSSocket(undefined, { signal: AbortSignal.abort() });
  assert.strictEqual(socket.destroyed, false);
  await assert.rejects(once(socket, 'close'), { name: 'AbortError' });
});

test('what a listener of the program throws is uncaught, no failure of the connection', async () => {
  const { server, to } = await serve({}, (socket) => socket.write('x'));
  for (const make of [
    () => tls.connect({ ...to, checkServerIdentity() { throw new Error('mine'); } }),
    () => tls.connect(to).on('data', () => { throw new Error('mine'); }),
  ]) {
    const caught = once(process, 'uncaughtException');
    const socket = make();
    socket.on('error', (error) => assert.fail(error));
    const [error] = await caught;
    assert.strictEqual(error.message, 'mine');
    socket.destroy();
  }
  server.close();
});

test('flags that exclude each other', () => {
  for (const pair of [['--tls-min-v1.3', '--tls-max-v1.2'], ['--use-openssl-ca', '--use-bundled-ca']]) {
    const { status, stderr } = spawnSync(process.execPath, [...pair, '-p', '1'], { encoding: 'utf8' });
    assert.strictEqual(stderr, `${process.execPath}: either ${pair[0]} or ${pair[1]} can be used, not both\n`);
    assert.strictEqual(status, 9);
  }
});

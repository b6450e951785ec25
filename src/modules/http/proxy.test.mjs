import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { test } from '../../../test/harness.mjs';
import { cert, key } from '../tls/fixtures.mjs';

/** A server that listens for as long as `use` runs. */
async function listening(server, use) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(server.address().port);
  } finally {
    server.closeAllConnections?.();
    server.close();
  }
}

/** A proxy that writes down what it was asked: [first line, fields]. It answers plain requests itself. */
function createProxy(seen) {
  const note = (req) => seen.push([`${req.method} ${req.url}`, req.rawHeaders]);
  const proxy = http.createServer((req, res) => {
    note(req);
    res.end('from the proxy');
  });
  proxy.on('connect', (req, socket) => {
    note(req);
    const target = net.connect(Number(req.url.split(':').pop()), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    for (const one of [socket, target]) one.on('error', () => { socket.destroy(); target.destroy(); });
  });
  return proxy;
}

/** The answer of a request, or its error. */
function answerOf(module, options, body = undefined) {
  return new Promise((resolve, reject) => {
    const req = module.request(options, async (res) => {
      let text = '';
      for await (const chunk of res.setEncoding('utf8')) text += chunk;
      resolve(text);
    });
    req.on('error', reject);
    req.end(body);
  });
}

test('a plain request names the whole URL, and says who asks', async () => {
  const seen = [];
  await listening(createProxy(seen), async (port) => {
    const agent = new http.Agent({ proxyEnv: { HTTP_PROXY: `http://us%40er:pass@127.0.0.1:${port}` } });
    assert.strictEqual(await answerOf(http, { agent, host: 'a.invalid', path: '/x?y' }), 'from the proxy');
    await answerOf(http, { agent, host: 'a.invalid', port: 81, method: 'POST' }, 'body');
    await answerOf(http, { agent, host: '::1', headers: ['Host', '[::1]'] });
    await answerOf(http, { agent, host: 'a.invalid', method: 'OPTIONS', path: '*' });
  });
  assert.deepStrictEqual(seen.map(([line]) => line),
    ['GET http://a.invalid/x?y', 'POST http://a.invalid:81/', 'GET http://[::1]/', 'OPTIONS http://a.invalid']);
  const authorization = `Basic ${btoa('us@er:pass')}`;
  for (const [, fields] of seen) {
    assert.strictEqual(fields[fields.indexOf('proxy-authorization') + 1], authorization);
    assert.strictEqual(fields[fields.indexOf('proxy-connection') + 1], 'close');
  }
});

test('NO_PROXY: names, domains, addresses, ranges, ports', async () => {
  const noProxy = 'exact.invalid, .suffix.invalid,*.wild.invalid,10.0.0.1,10.0.1.1-10.0.1.9,port.invalid:81,[::1]:82';
  const cases = {
    'exact.invalid:80': false, 'sub.exact.invalid:80': true, 'EXACT.invalid:80': false, 'a.suffix.invalid:80': false,
    'a.wild.invalid:80': false, 'wild.invalid:80': true, '10.0.0.1:80': false, '10.0.0.2:80': true,
    '10.0.1.5:80': false, '10.0.1.10:80': true, 'port.invalid:81': false, 'port.invalid:80': true,
    '::1:82': false, '::1:80': true,
  };
  class Recorder extends http.Agent {
    createConnection(options) {
      this.target = options.host;
      throw new Error('recorded');
    }
  }
  for (const [address, proxied] of Object.entries(cases)) {
    const [, host, port] = /^(.*):(\d+)$/.exec(address);
    const agent = new Recorder({ proxyEnv: { HTTP_PROXY: 'http://proxy.invalid', NO_PROXY: noProxy } });
    assert.throws(() => http.request({ agent, host, port: Number(port) }), { message: 'recorded' });
    assert.strictEqual(agent.target, proxied ? 'proxy.invalid' : host, address);
  }
});

test('lower case comes first; what is no URL of HTTP is ignored, a broken one refused', () => {
  class Recorder extends http.Agent {
    createConnection(options) { throw new Error(options.host); }
  }
  const targetOf = (proxyEnv) => {
    try {
      http.request({ host: 'direct.invalid', agent: new Recorder({ proxyEnv }) });
    } catch (error) {
      return error.message;
    }
    return undefined;
  };
  const both = { HTTP_PROXY: 'http://upper.invalid', http_proxy: 'http://lower.invalid' };
  assert.strictEqual(targetOf(both), 'lower.invalid');
  assert.strictEqual(targetOf({ HTTP_PROXY: 'http://upper.invalid', http_proxy: '' }), 'upper.invalid');
  assert.strictEqual(targetOf({ HTTP_PROXY: 'socks5://upper.invalid' }), 'direct.invalid');
  assert.strictEqual(targetOf({ HTTPS_PROXY: 'http://upper.invalid' }), 'direct.invalid');
  for (const url of ['http://', 'http://h:99999', 'http://us\r\ner@h']) {
    assert.throws(() => new http.Agent({ proxyEnv: { HTTP_PROXY: url } }),
      { code: 'ERR_PROXY_INVALID_CONFIG', message: `Invalid proxy URL: ${url}` });
  }
  const agent = new Recorder({ proxyEnv: { HTTP_PROXY: 'http://proxy.invalid' } });
  assert.throws(() => http.request({ agent, host: 'a\r\nb', headers: [] }), { code: 'ERR_INVALID_CHAR' });
});

test('a secure request goes through a tunnel, which is kept', async () => {
  const seen = [];
  await listening(createProxy(seen), async (proxyPort) => {
    await listening(https.createServer({ key, cert }, (req, res) => res.end(req.url)), async (port) => {
      const agent = new https.Agent({
        keepAlive: true, rejectUnauthorized: false, proxyEnv: { HTTPS_PROXY: `http://u:p@127.0.0.1:${proxyPort}` },
      });
      for (const path of ['/1', '/2']) {
        assert.strictEqual(await answerOf(https, { agent, host: 'a.invalid', port, path }), path);
        await new Promise(setImmediate);
      }
      agent.destroy();
      assert.deepStrictEqual(seen, [[`CONNECT a.invalid:${port}`, ['proxy-connection', 'keep-alive',
        'proxy-authorization', `Basic ${btoa('u:p')}`, 'host', `a.invalid:${port}`]]]);
    });
  });
});

/** How a secure request ends whose proxy answers CONNECT so. */
async function endOfTunnel(answer, options = {}, act = () => {}) {
  let failure;
  const proxy = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  await listening(proxy, async (port) => {
    const agent = new https.Agent({ proxyEnv: { HTTPS_PROXY: `http://u:secret@127.0.0.1:${port}` } });
    const req = https.request({ agent, host: 'a.invalid', ...options }).end();
    act(req);
    [failure] = await once(req, 'error');
    if (!req.closed) await once(req, 'close');
  });
  return failure;
}

test('a tunnel that fails', async () => {
  const refused = await endOfTunnel((socket) => socket.end('HTTP/1.1 407 Who?\r\nA: b\r\n\r\nbody'));
  assert.strictEqual(refused.code, 'ERR_PROXY_TUNNEL');
  assert.strictEqual(refused.statusCode, 407);
  assert.match(refused.message, /^Failed to establish tunnel to a\.invalid:443 via http:\S+: HTTP\/1\.1 407 Who\?$/);
  assert.ok(!refused.message.includes('secret'));
  const ended = await endOfTunnel((socket) => socket.end('HTTP/1.1 200 OK\r\n'));
  assert.deepStrictEqual([ended.code, ended.message],
    ['ERR_PROXY_TUNNEL', 'Connection to establish proxy tunnel ended unexpectedly']);
  const endless = await endOfTunnel((socket) => socket.write('x'.repeat(1 << 17)));
  assert.match(endless.message, /the header of the answer is too large/);
  const early = await endOfTunnel((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nnot yours'));
  assert.match(early.message, /data before the handshake/);
});

test('a tunnel that takes too long, or that nobody wants any more', async () => {
  const events = [];
  const late = await endOfTunnel(() => {}, { timeout: 20 }, (req) => req.on('timeout', () => {
    events.push('timeout');
    req.destroy();
  }));
  assert.deepStrictEqual([late.code, late.proxyTunnelTimeout, events], ['ERR_PROXY_TUNNEL', 20, ['timeout']]);
  let req;
  const own = new Error('own');
  assert.strictEqual(await endOfTunnel(() => req.destroy(own), {}, (made) => { req = made; }), own);
  const hungUp = await endOfTunnel(() => req.destroy(), {}, (made) => { req = made; });
  assert.strictEqual(hungUp.code, 'ECONNRESET');
});

/** What a program prints that runs with proxies of the environment. */
async function runWith(env, args) {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => { output += text; });
  }
  await once(child, 'close');
  return output;
}

test('the environment: NODE_USE_ENV_PROXY and --use-env-proxy, for node:http and fetch', async () => {
  const seen = [];
  await listening(createProxy(seen), async (proxyPort) => {
    await listening(http.createServer((req, res) => res.end('direct')), async (port) => {
      const url = `http://127.0.0.1:${port}/`;
      const program = `http.get('${url}', (res) => res.pipe(process.stdout))`;
      const env = { http_proxy: `http://127.0.0.1:${proxyPort}` };
      assert.strictEqual(await runWith(env, ['-e', program]), 'direct');
      const enabled = { ...env, NODE_USE_ENV_PROXY: '1' };
      assert.strictEqual(await runWith(enabled, ['-e', program]), 'from the proxy');
      assert.strictEqual(await runWith(env, ['--use-env-proxy', '-e', program]), 'from the proxy');
      assert.strictEqual(await runWith(enabled, ['--no-use-env-proxy', '-e', program]), 'direct');
      const fetching = `fetch('${url}').then((answer) => answer.text()).then(console.log)`;
      assert.strictEqual(await runWith(env, ['--use-env-proxy', '-e', fetching]), 'direct\n');
      assert.deepStrictEqual(seen.map(([line]) => line), [`GET ${url}`, `GET ${url}`, `CONNECT 127.0.0.1:${port}`]);
      const broken = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'no-url' };
      assert.match(await runWith(broken, ['-e', '']), /TypeError: Invalid URL/);
    });
  });
});

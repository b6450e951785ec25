// Files in answers: fs.createReadStream().pipe(res) hands large ones over without their bytes coming through JavaScript.
import assert from 'node:assert';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, finished, pipeline } from 'node:stream';
import { test } from '../../../test/harness.mjs';

const folder = fs.mkdtempSync(join(tmpdir(), 'gyre-send-file-'));
const path = join(folder, 'file');
const content = randomBytes(7_000_000);
fs.writeFileSync(path, content);

/** Serves with `handler` while `run(port)` runs. */
async function serving(handler, run) {
  const server = http.createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await run(server.address().port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function get(port, options = {}) {
  const req = http.get({ port, host: '127.0.0.1', agent: false, ...options });
  const [res] = await once(req, 'response');
  const parts = [];
  for await (const part of res) parts.push(part);
  return Buffer.concat(parts);
}

/** A stream that notes how far it had come at each _read(). */
function watched(options) {
  const stream = fs.createReadStream(path, options);
  const steps = [];
  stream._read = function(n) {
    steps.push(stream.bytesRead);
    fs.ReadStream.prototype._read.call(this, n);
  };
  stream.largestStep = () => Math.max(...steps.map((at, i) => at - (steps[i - 1] ?? 0)));
  return stream;
}

const withLength = (res, length = content.length) => res.writeHead(200, { 'content-length': length });

await test('a large file goes out in large parts, and counts', async () => {
  let stream;
  let ended;
  await serving((req, res) => {
    stream = watched();
    ended = Promise.all([once(stream, 'close'), once(stream, 'end'), once(res, 'finish')]);
    withLength(res);
    stream.pipe(res);
  }, async (port) => {
    assert.ok((await get(port)).equals(content));
    await ended;
    assert.strictEqual(stream.bytesRead, content.length);
    assert.ok(stream.largestStep() > 500_000, `${stream.largestStep()}`);
  });
});

await test('parts of files, by start, end and descriptor', async () => {
  const cases = [[{ start: 5 }, 5], [{ start: 1000, end: 6_000_000 }, 1000, 6_000_001], [{ end: 3_000_000 }, 0, 3_000_001]];
  for (const [options, from, to = content.length] of cases) {
    for (const fd of [undefined, true]) {
      await serving((req, res) => {
        withLength(res, to - from);
        const more = fd ? { fd: fs.openSync(path) } : {};
        fs.createReadStream(path, { ...options, ...more }).pipe(res);
      }, async (port) => assert.ok((await get(port)).equals(content.subarray(from, to)), `${JSON.stringify(options)} ${fd}`));
    }
  }
});

await test('pipeline(), an answer behind it, and requests that wait meanwhile', async () => {
  await serving((req, res) => {
    if (req.url !== '/file') return void res.end(req.url);
    withLength(res);
    pipeline(fs.createReadStream(path), res, (error) => assert.ifError(error));
  }, async (port) => {
    const socket = net.connect(port, '127.0.0.1');
    const ask = (url, more = '') => `GET ${url} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    socket.write(ask('/file') + ask('/a') + ask('/file') + ask('/b', 'Connection: close\r\n'));
    const parts = [];
    for await (const part of socket) parts.push(part);
    let said = Buffer.concat(parts);
    for (const body of [content, Buffer.from('/a'), content, Buffer.from('/b')]) {
      const start = said.indexOf('\r\n\r\n') + 4;
      assert.ok(said.subarray(start, start + body.length).equals(body));
      said = said.subarray(start + body.length);
    }
    assert.strictEqual(said.length, 0);
  });
});

await test('whoever wants the data gets it: listeners before and in between, a second pipe, an encoding, chunks, HEAD', async () => {
  const ways = {
    '/listener': (stream) => stream.on('data', () => {}),
    '/later': (stream) => setImmediate(() => stream.on('data', (part) => (stream.seen = (stream.seen ?? 0) + part.length))),
    '/second': (stream) => stream.pipe(new PassThrough()).resume(),
    '/paused': (stream) => setImmediate(() => {
      stream.pause();
      setTimeout(() => stream.resume(), 20);
    }),
    '/unpiped': (stream, res) => setImmediate(() => {
      stream.unpipe(res);
      setTimeout(() => stream.pipe(res), 20);
    }),
    '/corked': (stream, res) => {
      res.cork();
      setTimeout(() => res.uncork(), 20);
    },
  };
  await serving((req, res) => {
    if (req.url !== '/chunked') withLength(res);
    const stream = fs.createReadStream(path);
    stream.pipe(res);
    ways[req.url]?.(stream, res);
  }, async (port) => {
    for (const url of [...Object.keys(ways), '/chunked', '/plain']) {
      assert.ok((await get(port, { path: url })).equals(content), url);
    }
    assert.strictEqual((await get(port, { path: '/plain', method: 'HEAD' })).length, 0);
  });
});

await test('a program that replaces fs.read or res.write sees every byte', async () => {
  const { read } = fs;
  let seen = 0;
  await serving((req, res) => {
    withLength(res);
    if (req.url === '/write') {
      const { write } = res;
      res.write = function(chunk, ...rest) {
        seen += chunk.length;
        return write.call(this, chunk, ...rest);
      };
    }
    fs.createReadStream(path).pipe(res);
  }, async (port) => {
    await get(port, { path: '/write' });
    assert.strictEqual(seen, content.length);
    seen = 0;
    fs.read = (fd, buffer, offset, length, position, callback) =>
      read(fd, buffer, offset, length, position, (error, size, bytes) => {
        seen += size;
        callback(error, size, bytes);
      });
    try {
      await get(port);
    } finally {
      fs.read = read;
    }
    assert.strictEqual(seen, content.length);
  });
});

await test('a client that goes away: the stream is unpiped and can be destroyed, its descriptor is closed', async () => {
  const open = () => fs.readdirSync('/proc/self/fd').length;
  const before = open();
  const huge = join(folder, 'huge');
  fs.closeSync(fs.openSync(huge, 'w'));
  fs.truncateSync(huge, 1e10);
  let answer;
  for (const how of ['pipe', 'pipeline']) {
    await serving((req, res) => {
      withLength(res, 1e10);
      const stream = fs.createReadStream(huge);
      if (how === 'pipeline') pipeline(stream, res, (error) => res.emit('told', error));
      else finished(stream.pipe(res), (error) => {
        stream.destroy();
        stream.on('close', () => res.emit('told', error));
      });
      answer = res;
    }, async (port) => {
      const req = http.get({ port, host: '127.0.0.1', agent: false });
      const [res] = await once(req, 'response');
      for (let got = 0; got < 20_000_000;) {
        await once(res, 'readable');
        for (let part; (part = res.read()) !== null;) got += part.length;
      }
      const told = once(answer, 'told');
      req.destroy();
      res.on('error', () => {});
      assert.strictEqual((await told)[0].code, 'ERR_STREAM_PREMATURE_CLOSE', how);
    });
  }
  for (let i = 0; i < 500 && open() > before; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(open() <= before);
});

await test('a file that ends before what was announced ends the answer there', async () => {
  const short = join(folder, 'short');
  await serving((req, res) => {
    fs.writeFileSync(short, content.subarray(0, 6_000_000));
    res.writeHead(200, { 'content-length': 6_500_000, 'connection': 'close' });
    const stream = fs.createReadStream(short);
    let cut = false;
    stream._read = function(n) {
      if (!cut && stream.bytesRead > 0) {
        cut = true;
        fs.truncateSync(short, 3_000_000);
      }
      fs.ReadStream.prototype._read.call(this, n);
    };
    stream.pipe(res);
  }, async (port) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.0\r\n\r\n');
    const parts = [];
    for await (const part of socket) parts.push(part);
    const said = Buffer.concat(parts);
    assert.ok(said.subarray(said.indexOf('\r\n\r\n') + 4).equals(content.subarray(0, 3_000_000)));
  });
});

fs.rmSync(folder, { recursive: true });

// Runs while Gyre is built: what it uses of the core modules is compiled once and for all, into the code cache inside the
// program. Nothing here is needed for a build to be right, only for programs to start fast: a part that fails is skipped.
// No process.exit here; the cache is taken when the loop has nothing left.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const once = (emitter, name) => new Promise((resolve) => emitter.once(name, resolve));

const parts = {
  async http() {
    const http = require('node:http');
    const server = http.createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk) => { body += chunk; });
      request.on('end', () => {
        response.setHeader('X-A', 'b');
        response.writeHead(200, { 'Content-Type': 'application/json' });
        if (request.method === 'POST') response.write(' ');
        response.end(JSON.stringify({ url: request.url, host: request.headers.host, body }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    // A part that fails half-way keeps nothing alive.
    server.unref();
    const agent = new http.Agent({ keepAlive: true });
    for (const method of ['GET', 'POST', 'GET']) {
      const request = http.request({ port, host: '127.0.0.1', method, agent, path: '/a?b=c', headers: { a: 'b' } });
      request.end(method === 'POST' ? 'body' : undefined);
      const response = await once(request, 'response');
      for await (const chunk of response) void chunk;
    }
    const direct = http.get(`http://127.0.0.1:${port}/`);
    (await once(direct, 'response')).resume();
    if (typeof fetch === 'function') {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify({ a: 1 }), headers: { a: 'b' } });
      await answer.json();
      await (await fetch(`http://127.0.0.1:${port}/`)).text();
      new Response('a', { headers: new Headers({ a: 'b' }) });
    }
    agent.destroy();
    server.ref();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  },
  async net() {
    const net = require('node:net');
    const server = net.createServer((socket) => socket.pipe(socket));
    server.listen(0);
    await once(server, 'listening');
    const client = net.connect(server.address().port, 'localhost');
    client.end('a');
    for await (const chunk of client) void chunk;
    server.close();
    await once(server, 'close');
    await require('node:dns').promises.lookup('localhost');
  },
  tls() {
    require('node:tls').createSecureContext({});
    require('node:https');
  },
  async files() {
    const fs = require('node:fs');
    const os = require('node:os');
    const path = require('node:path');
    const promises = require('node:fs/promises');
    const folder = await promises.mkdtemp(path.join(os.tmpdir(), 'gyre-cache-'));
    try {
      const file = path.join(folder, 'a.txt');
      await promises.writeFile(file, 'text');
      await promises.readFile(file, 'utf8');
      await promises.stat(file);
      await promises.readdir(folder, { withFileTypes: true });
      const handle = await promises.open(file);
      await handle.read(Buffer.alloc(4), 0, 4, 0);
      await handle.close();
      await new Promise((resolve) => fs.readFile(file, resolve));
      fs.writeFileSync(file, 'text');
      fs.appendFileSync(file, 'text');
      await require('node:stream/promises').pipeline(
        fs.createReadStream(file), require('node:zlib').createGzip(), fs.createWriteStream(`${file}.gz`));
      const lines = require('node:readline').createInterface({ input: fs.createReadStream(file) });
      for await (const line of lines) void line;
    } finally {
      await promises.rm(folder, { recursive: true });
    }
    os.cpus();
    os.hostname();
  },
  async crypto() {
    const crypto = require('node:crypto');
    crypto.createHash('sha256').update('a').digest('hex');
    crypto.createHmac('sha256', 'k').update('a').digest('base64');
    crypto.hash('sha1', 'a');
    crypto.randomBytes(8);
    crypto.randomUUID();
    crypto.randomInt(5);
    crypto.timingSafeEqual(Buffer.from('a'), Buffer.from('a'));
    await new Promise((resolve) => crypto.pbkdf2('a', 'b', 1, 8, 'sha256', resolve));
    await new Promise((resolve) => crypto.scrypt('a', 'b', 8, { N: 2 }, resolve));
    globalThis.crypto.getRandomValues(new Uint8Array(4));
    await globalThis.crypto.subtle.digest('SHA-256', new Uint8Array(4));
    const key = crypto.createSecretKey(Buffer.alloc(32));
    const cipher = crypto.createCipheriv('aes-256-gcm', key, Buffer.alloc(12));
    cipher.update('a');
    cipher.final();
  },
  async compression() {
    const zlib = require('node:zlib');
    zlib.gunzipSync(zlib.gzipSync('a'));
    zlib.brotliCompressSync('a');
    await new Promise((resolve) => zlib.gzip('a', resolve));
  },
  async web() {
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue('a');
        controller.close();
      },
    });
    for await (const chunk of stream.pipeThrough(new TransformStream())) void chunk;
    await new Blob(['a']).text();
    structuredClone({ a: [1, new Map()] });
    const { port1, port2 } = new MessageChannel();
    port2.postMessage({ a: 1 });
    await new Promise((resolve) => { port1.onmessage = resolve; });
    port1.close();
    performance.mark('a');
    performance.now();
    new FormData().append('a', 'b');
    void navigator.hardwareConcurrency;
  },
  async threads() {
    const { Worker } = require('node:worker_threads');
    const worker = new Worker(
      "const { parentPort, workerData } = require('worker_threads'); parentPort.postMessage(workerData);" +
      " parentPort.once('message', () => {});", { eval: true, workerData: { a: 1 } });
    await once(worker, 'message');
    worker.postMessage('end');
    await once(worker, 'exit');
  },
  async processes() {
    const { execFile, spawn } = require('node:child_process');
    await new Promise((resolve) => execFile('/bin/true', [], resolve));
    const child = spawn('/bin/cat');
    child.stdin.end('a');
    child.stdout.resume();
    await once(child, 'close');
    require('node:cluster');
  },
  async contexts() {
    const { AsyncLocalStorage, AsyncResource } = require('node:async_hooks');
    await new AsyncLocalStorage().run(1, async () => { await null; });
    new AsyncResource('a').runInAsyncScope(() => {});
    require('node:diagnostics_channel').channel('a').publish({});
    await require('node:timers/promises').setTimeout(1);
    await require('node:events').once(Object.assign(new (require('node:events'))()), 'a', { signal: AbortSignal.abort() })
      .catch(() => {});
  },
  async tools() {
    const assert = require('node:assert');
    assert.deepStrictEqual({ a: [1] }, { a: [1] });
    assert.throws(() => assert.strictEqual(1, 2));
    const util = require('node:util');
    util.parseArgs({ args: ['-a'], options: { a: { type: 'boolean', short: 'a' } } });
    util.promisify(setTimeout);
    util.inspect(new Map([[1, { a: new Set([1]) }]]), { colors: true });
    new util.TextDecoder().decode(new util.TextEncoder().encode('a'));
    require('node:querystring').parse('a=b');
    require('node:string_decoder');
    require('node:perf_hooks');
    require('node:vm').runInNewContext('1');
    require('node:v8').getHeapStatistics();
    require('node:tty').isatty(0);
    const { PassThrough, Readable } = require('node:stream');
    await Readable.from(['a']).pipe(new PassThrough()).toArray();
    await import('data:text/javascript,export default 1');
    void console.error;
    void console.log;
    void process.stdout;
    void process.stderr;
  },
};

for (const [name, part] of Object.entries(parts)) {
  try {
    await part();
  } catch (error) {
    console.error(`code cache: ${name} is left out: ${error?.message}`);
  }
}

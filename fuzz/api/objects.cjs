'use strict';

// Constructed objects, by module: their methods get odd arguments too. Each maker takes the round's Values and may throw.

const crypto = () => require('crypto');
const zlib = () => require('zlib');

const kPem = () => crypto().generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

/** @type {Record<string, Array<(v: import('./values.cjs').Values) => unknown>>} */
const kObjects = {
  assert: [() => new (require('assert').AssertionError)({ actual: 1, expected: 2, operator: '==' })],
  async_hooks: [
    () => new (require('async_hooks').AsyncLocalStorage)(), () => new (require('async_hooks').AsyncResource)('ODD'),
    () => require('async_hooks').createHook({ init() {} }),
  ],
  buffer: [
    (v) => Buffer.alloc(v.random(100)), () => Buffer.from('some text, long enough for a look'), (v) => Buffer.from(v.keep(new ArrayBuffer(50, { maxByteLength: 100 }))),
    () => new Blob(['a', Buffer.from('b')]), () => new File(['x'], 'name'), () => Buffer.from(new SharedArrayBuffer(40)),
  ],
  child_process: [() => new (require('child_process').ChildProcess)(), () => require('child_process').spawn('cat', { stdio: 'pipe' })],
  console: [() => new (require('console').Console)(new (require('stream').PassThrough)())],
  crypto: [
    () => crypto().createHash('sha256'), () => crypto().createHmac('sha1', 'k'), () => crypto().createHash('shake128', { outputLength: 5 }),
    () => crypto().createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)), () => crypto().createDecipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12)),
    () => crypto().createCipheriv('chacha20-poly1305', Buffer.alloc(32), Buffer.alloc(12), { authTagLength: 16 }), () => crypto().createSign('sha256'),
    () => crypto().createVerify('sha256'), () => crypto().createECDH('prime256v1'), () => crypto().createDiffieHellman(128), () => crypto().getDiffieHellman('modp1'),
    () => crypto().createSecretKey(Buffer.alloc(16)), () => kPem().privateKey, () => kPem().publicKey, () => crypto().createCipheriv('aes-256-ccm', Buffer.alloc(32), Buffer.alloc(12), { authTagLength: 8 }),
    () => crypto().webcrypto.subtle, () => crypto().createPrivateKey(kPem().privateKey.export({ type: 'pkcs8', format: 'pem' })),
  ],
  dgram: [() => require('dgram').createSocket('udp4'), () => require('dgram').createSocket('udp6').unref()],
  diagnostics_channel: [() => require('diagnostics_channel').channel('odd'), () => require('diagnostics_channel').tracingChannel('odd')],
  dns: [() => new (require('dns').Resolver)({ timeout: 10, tries: 1 }), () => new (require('dns').promises.Resolver)()],
  events: [() => new (require('events'))(), () => new EventTarget(), () => new Event('x'), () => new (require('events').EventEmitterAsyncResource)({ name: 'odd' })],
  fs: [
    () => require('fs').createReadStream(__filename), () => require('fs').createWriteStream('out'), () => require('fs').opendirSync('.'), () => require('fs').statSync('.'),
    () => require('fs').promises.open('handle', 'w+'), () => require('fs').watch('.'), () => require('fs').readdirSync('.', { withFileTypes: true })[0],
  ],
  http: [
    () => require('http').createServer(() => {}), () => require('http').request({ port: 1, host: '127.0.0.1' }), () => new (require('http').Agent)({ keepAlive: true }),
    () => new (require('http').IncomingMessage)(new (require('net').Socket)()), () => new (require('http').OutgoingMessage)(),
    () => new (require('http').ServerResponse)({ method: 'GET', headers: {}, httpVersionMajor: 1, httpVersionMinor: 1 }), () => require('http').createServer().listen(0),
  ],
  https: [() => require('https').createServer({}), () => new (require('https').Agent)()],
  inspector: [() => { const session = new (require('inspector').Session)(); session.connect(); return session; }],
  module: [() => new (require('module'))('odd'), () => module],
  net: [
    () => new (require('net').Socket)(), () => require('net').createServer().listen(0), () => require('net').connect(1, '127.0.0.1'), () => new (require('net').BlockList)(),
    () => new (require('net').SocketAddress)(), () => require('net').createServer().listen(`odd-${process.pid}.sock`),
  ],
  perf_hooks: [
    () => require('perf_hooks').createHistogram(), () => require('perf_hooks').monitorEventLoopDelay(), () => new (require('perf_hooks').PerformanceObserver)(() => {}),
    () => performance, () => performance.mark('odd'),
  ],
  readline: [() => require('readline').createInterface({ input: new (require('stream').PassThrough)() }), () => new (require('readline').promises.Readline)(new (require('stream').PassThrough)())],
  repl: [() => { const { PassThrough } = require('stream'); return require('repl').start({ input: new PassThrough(), output: new PassThrough() }); }],
  sqlite: [
    () => { const db = new (require('node:sqlite').DatabaseSync)(':memory:'); db.exec('create table t(a, b); insert into t values (1, 2)'); return db; },
    () => new (require('node:sqlite').DatabaseSync)(':memory:').prepare('select ? as a, :b as b'),
    () => new (require('node:sqlite').DatabaseSync)(':memory:').createSession(),
    () => { const db = new (require('node:sqlite').DatabaseSync)(':memory:'); db.exec('create table t(a); insert into t values (1), (2)'); return db.prepare('select * from t').iterate(); },
  ],
  stream: [
    () => new (require('stream').PassThrough)(), () => new (require('stream').Readable)({ read() {} }), () => new (require('stream').Writable)({ write(c, e, cb) { cb(); } }),
    () => new (require('stream').Duplex)({ read() {}, write(c, e, cb) { setImmediate(cb); } }), () => require('stream').Readable.from(['a', 'b', null]),
    () => new (require('stream').Transform)({ transform(c, e, cb) { cb(null, c); }, objectMode: true }),
  ],
  'stream/web': [
    () => new ReadableStream({ pull(c) { c.enqueue('x'); } }), () => new ReadableStream({ type: 'bytes', pull(c) { c.enqueue(new Uint8Array(3)); } }),
    () => new ReadableStream({ type: 'bytes', autoAllocateChunkSize: 8, pull(c) { c.byobRequest?.respond(1); } }).getReader({ mode: 'byob' }),
    () => new WritableStream(), () => new WritableStream().getWriter(), () => new TransformStream(), () => new CompressionStream('gzip'), () => new DecompressionStream('deflate'),
    () => new TextDecoderStream(), () => new ReadableStream({ start(c) { c.enqueue(1); c.close(); } }).getReader(),
  ],
  string_decoder: [(v) => new (require('string_decoder').StringDecoder)(v.pick(['utf8', 'utf16le', 'base64', 'hex', 'latin1']))],
  timers: [() => setTimeout(() => {}, 5), () => setInterval(() => {}, 5).unref(), () => setImmediate(() => {})],
  tls: [() => require('tls').createSecureContext(), () => new (require('tls').TLSSocket)(new (require('stream').PassThrough)()), () => require('tls').createServer({}).listen(0)],
  tty: [],
  url: [() => new URL('http://u:p@a.invalid:81/x?y#z'), () => new URLSearchParams('a=1&b=2&a=3'), () => new URLSearchParams('a=1&b=2').entries()],
  util: [() => new TextDecoder('utf-16le'), () => new TextEncoder(), () => new (require('util').MIMEType)('text/html; charset=x'), () => new TextDecoder('shift_jis', { fatal: true })],
  v8: [
    () => new (require('v8').Serializer)(), () => new (require('v8').DefaultSerializer)(), () => new (require('v8').Deserializer)(require('v8').serialize({ a: [1, 'x', new Date()] })),
    () => new (require('v8').DefaultDeserializer)(Buffer.from([255, 15, 65, 3, 0])), () => new (require('v8').GCProfiler)(),
  ],
  vm: [
    () => new (require('vm').Script)('globalThis.a = 1; a + (globalThis.b ?? 2)'), () => require('vm').createContext({ a: 1 }),
    () => new (require('vm').SourceTextModule)('export default 1; import "x"'), () => new (require('vm').SyntheticModule)(['a'], function() { this.setExport('a', 1); }),
  ],
  worker_threads: [
    () => new MessageChannel().port1, () => new BroadcastChannel('odd'), () => new (require('worker_threads').Worker)('setTimeout(() => {}, 20)', { eval: true }),
  ],
  zlib: [
    () => zlib().createGzip(), () => zlib().createGunzip(), () => zlib().createDeflate({ level: 1 }), () => zlib().createInflateRaw(), () => zlib().createBrotliCompress(),
    () => zlib().createBrotliDecompress(), () => zlib().createZstdCompress?.(), () => zlib().createUnzip(),
  ],
  globals: [
    () => new Headers({ a: 'b' }), () => new Request('http://a.invalid/'), () => new Response('body'), () => new FormData(), () => new AbortController(), () => new MessageChannel(),
    () => new Response(new ReadableStream()), () => new CustomEvent('x'), () => new WebAssembly.Memory({ initial: 1, maximum: 3 }), () => new DOMException('x', 'AbortError'),
    () => navigator, () => crypto().webcrypto, () => new URLPattern({ pathname: '/x/:id' }), () => new WebSocket('ws://127.0.0.1:1/'), () => structuredClone(new Map([[1, new Date()]])),
  ],
};

module.exports = { kObjects };

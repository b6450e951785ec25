// Test runners copy process and modules member by member: everything can be assigned, and the constructor called.
import assert from 'node:assert';
import { builtinModules, createRequire } from 'node:module';
import { test } from '../../../test/harness.mjs';

const require = createRequire(import.meta.url);

test('the constructor of process may be called', () => {
  const copy = Object.create(Object.getPrototypeOf(process));
  Object.getPrototypeOf(process).constructor.call(copy);
  assert.strictEqual(typeof new process.constructor(), 'object');
});

/** Cannot be assigned with Node.js either. */
const kFixed = new Set([
  'async_hooks.AsyncLocalStorage', 'crypto.getRandomValues', 'crypto.subtle', 'crypto.webcrypto',
  'dns.promises', 'events.EventEmitterAsyncResource', 'fs.F_OK', 'fs.R_OK', 'fs.Utf8Stream', 'fs.W_OK',
  'fs.X_OK', 'fs.promises', 'http.CloseEvent', 'http.MessageEvent', 'http.WebSocket', 'http.maxHeaderSize',
  'net.BlockList', 'net.SocketAddress', 'process.report', 'process.sourceMapsEnabled', 'process.stderr',
  'process.stdin', 'process.stdout', 'stream.promises', 'sys.aborted', 'sys.transferableAbortController',
  'sys.transferableAbortSignal', 'test.assert', 'test.mock', 'test.snapshot', 'test/reporters.dot',
  'test/reporters.junit', 'test/reporters.tap', 'timers.promises', 'tls.rootCertificates', 'util.aborted',
  'util.transferableAbortController', 'util.transferableAbortSignal',
]);

test('what is inherited from a module can be assigned', () => {
  process.removeAllListeners('warning');
  const wrong = [];
  for (const name of [...builtinModules, 'node:sqlite', 'node:test'].filter((id) => !id.startsWith('_'))) {
    const exported = require(name);
    for (const key of Object.keys(exported)) {
      const { get, set } = Object.getOwnPropertyDescriptor(exported, key);
      const path = `${name.replace('node:', '')}.${key}`;
      if (get !== undefined && set === undefined && !kFixed.has(path)) wrong.push(path);
    }
  }
  assert.deepStrictEqual(wrong, []);
});

import assert from 'node:assert';
import { test } from '../../test/harness.mjs';

test('globals have the attributes that Node gives them', () => {
  const attributes = (name) => {
    const d = Object.getOwnPropertyDescriptor(globalThis, name);
    return `${d.get ? 'get' : typeof d.value}${d.enumerable ? ' enumerable' : ''}${d.writable ? ' writable' : ''}`;
  };
  assert.strictEqual(attributes('URL'), 'function writable');
  assert.strictEqual(attributes('fetch'), 'function enumerable writable');
  assert.strictEqual(attributes('structuredClone'), 'function enumerable writable');
  assert.strictEqual(attributes('Blob'), 'function writable');
  assert.strictEqual(attributes('Buffer'), 'get');
  assert.strictEqual(attributes('crypto'), 'get enumerable');
  assert.strictEqual(Object.getOwnPropertyDescriptor(globalThis, 'crypto').set, undefined);
  assert.strictEqual(Object.prototype.toString.call(globalThis), '[object global]');
});

test('a global can be replaced before it was read', () => {
  const mine = () => {};
  globalThis.WebSocket = mine;
  assert.strictEqual(WebSocket, mine);
  assert.deepStrictEqual(Object.getOwnPropertyDescriptor(globalThis, 'WebSocket'), {
    value: mine, writable: true, enumerable: false, configurable: true,
  });
});

test('nothing that Node 24 hides is there', () => {
  for (const name of ['EventSource', 'ErrorEvent', 'localStorage', 'reportError', 'self']) {
    assert.strictEqual(typeof globalThis[name], 'undefined', name);
  }
});

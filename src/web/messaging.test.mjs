import assert from 'node:assert';
import { once } from 'node:events';
import { receiveMessageOnPort } from 'node:worker_threads';
import { test } from '../../test/harness.mjs';

test('messages arrive in order, as events and as values', async () => {
  const { port1, port2 } = new MessageChannel();
  const seen = [];
  port1.onmessage = (event) => seen.push(event.data);
  port1.on('message', (value) => seen.push(value));
  port2.postMessage(1);
  port2.postMessage({ two: 2 });
  const closed = once(port1, 'close');
  port2.close();
  await closed;
  assert.deepStrictEqual(seen, [1, 1, { two: 2 }, { two: 2 }]);
});

test('ports and buffers are transferred', async () => {
  const { port1, port2 } = new MessageChannel();
  const inner = new MessageChannel();
  const buffer = new ArrayBuffer(8);
  port1.postMessage({ port: inner.port1, buffer }, [inner.port1, buffer]);
  assert.strictEqual(buffer.byteLength, 0);
  const { message } = receiveMessageOnPort(port2);
  assert.strictEqual(message.buffer.byteLength, 8);
  inner.port2.postMessage('through');
  assert.strictEqual(receiveMessageOnPort(message.port).message, 'through');
  assert.throws(() => port1.postMessage(1, [port1]), { name: 'DataCloneError' });
  assert.throws(() => port1.postMessage(inner.port2), /needs transfer/);
  inner.port2.close();
  port1.close();
});

test('BroadcastChannel reaches all others of its name', async () => {
  const channels = Array.from({ length: 3 }, () => new BroadcastChannel('test'));
  const heard = channels.slice(1).map((channel) => new Promise((resolve) => {
    channel.onmessage = (event) => resolve(event.data);
  }));
  channels[0].onmessage = () => assert.fail('the sender hears itself');
  channels[0].postMessage({ a: 1 });
  assert.deepStrictEqual(await Promise.all(heard), [{ a: 1 }, { a: 1 }]);
  for (const channel of channels) channel.close();
  assert.throws(() => channels[0].postMessage(1), { name: 'InvalidStateError' });
});

test('structuredClone', () => {
  const shared = new SharedArrayBuffer(1);
  const source = { a: [1, new Map([[1, new Set([2])]])], d: new Date(0), e: new RangeError('r'), shared };
  source.self = source;
  const copy = structuredClone(source);
  assert.deepStrictEqual(copy.a, source.a);
  assert.strictEqual(copy.self, copy);
  assert.ok(copy.e instanceof RangeError);
  new Uint8Array(shared)[0] = 7;
  assert.strictEqual(new Uint8Array(copy.shared)[0], 7);
  const exception = structuredClone(new DOMException('m', 'AbortError'));
  assert.ok(exception instanceof DOMException);
  assert.strictEqual(exception.code, 20);
  assert.throws(() => structuredClone(() => {}), { name: 'DataCloneError', code: 25, message: /could not be cloned/ });
  assert.throws(() => structuredClone(new URL('http://a')), { name: 'DataCloneError' });
});

test('a getter cannot pull a transferred object from under a clone', () => {
  const buffer = new ArrayBuffer(8);
  const detaching = { get x() { return structuredClone(buffer, { transfer: [buffer] }); }, buffer };
  assert.throws(() => structuredClone(detaching, { transfer: [buffer] }), { name: 'DataCloneError' });
  const { port1 } = new MessageChannel();
  const closing = { get x() { return port1.close(); }, port1 };
  assert.throws(() => structuredClone(closing, { transfer: [port1] }), { name: 'DataCloneError' });
});

test('many objects of JavaScript at any depth are copied', () => {
  const blobs = Array.from({ length: 50 }, (_, i) => ({ deep: [new Blob([`${i}`])] }));
  const copies = structuredClone(blobs);
  assert.strictEqual(copies.length, 50);
  for (const { deep: [blob] } of copies) assert.ok(blob instanceof Blob);
});

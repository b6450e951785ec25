import assert from 'node:assert';
import { Buffer } from 'node:buffer';
import { inspect } from 'node:util';
import { test } from '../../../test/harness.mjs';

test('small buffers share a pool, and do not overlap', () => {
  const buffers = Array.from({ length: 2000 }, (_, i) => Buffer.from(`text ${i}`));
  buffers.forEach((buffer, i) => assert.strictEqual(buffer.toString(), `text ${i}`));
  assert.strictEqual(buffers[0].buffer.byteLength, Buffer.poolSize);
  assert.strictEqual(Buffer.from('x'.repeat(Buffer.poolSize)).byteOffset, 0);
});

test('from takes what Node takes', () => {
  assert.strictEqual(Buffer.from(new String('abc')).toString(), 'abc');
  assert.deepStrictEqual([...Buffer.from({ length: 2, 0: 1, 1: 300 })], [1, 44]);
  assert.deepStrictEqual([...Buffer.from({ type: 'Buffer', data: [7] })], [7]);
  assert.strictEqual(Buffer.from({ [Symbol.toPrimitive]: () => 'p' }).toString(), 'p');
  assert.throws(() => Buffer.from(5), { code: 'ERR_INVALID_ARG_TYPE', message: /Received type number \(5\)$/ });
  assert.throws(() => Buffer.from(new ArrayBuffer(4), 5), {
    code: 'ERR_BUFFER_OUT_OF_BOUNDS', message: '"offset" is outside of buffer bounds',
  });
});

test('a slice shares memory', () => {
  const buffer = Buffer.from('hello');
  const slice = buffer.slice(1, -1);
  slice[0] = 0x45;
  assert.strictEqual(buffer.toString(), 'hEllo');
  assert.ok(slice instanceof Buffer);
});

test('concat clears what the list does not fill', () => {
  assert.deepStrictEqual([...Buffer.concat([Buffer.from([1])], 3)], [1, 0, 0]);
  assert.deepStrictEqual([...Buffer.concat([Buffer.from([1, 2, 3])], 2)], [1, 2]);
  assert.throws(() => Buffer.concat(['a']), { message: /"list\[0\]" argument must be an instance of Buffer or Uint8Array/ });
});

test('fill repeats its pattern', () => {
  assert.strictEqual(Buffer.alloc(7).fill('abc').toString(), 'abcabca');
  assert.strictEqual(Buffer.alloc(4, '\u00e9').toString('hex'), 'c3a9c3a9');
  assert.throws(() => Buffer.alloc(2).fill('zz', 'hex'), { code: 'ERR_INVALID_ARG_VALUE' });
});

test('copy, compare, equals, swap', () => {
  const target = Buffer.alloc(4);
  assert.strictEqual(Buffer.from('abcdef').copy(target, 1, 2), 3);
  assert.strictEqual(target.toString('latin1'), '\u0000cde');
  assert.strictEqual(Buffer.compare(Buffer.from('a'), Buffer.from('b')), -1);
  assert.strictEqual(Buffer.from('abc').compare(Buffer.from('xabc'), 1), 0);
  assert.ok(Buffer.from('a').equals(new Uint8Array([97])));
  const many = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  assert.deepStrictEqual([...many.swap64().subarray(0, 8)], [7, 6, 5, 4, 3, 2, 1, 0]);
  assert.throws(() => Buffer.alloc(3).swap16(), { code: 'ERR_INVALID_BUFFER_SIZE' });
});

test('inspect shows fifty bytes and own properties', () => {
  const buffer = Buffer.alloc(52, 1);
  assert.match(inspect(buffer), /^<Buffer (01 ){50}\.\.\. 2 more bytes>$/);
  const small = Buffer.from('a');
  small.tag = true;
  assert.strictEqual(inspect(small), '<Buffer 61, tag: true>');
});

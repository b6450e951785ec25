import assert from 'node:assert';
import { Buffer } from 'node:buffer';
import { test } from '../../../test/harness.mjs';

test('integers of all sizes read what was written', () => {
  const buffer = Buffer.alloc(8);
  for (const [name, value] of [
    ['Int8', -5], ['UInt8', 250], ['Int16LE', -300], ['Int16BE', -300], ['UInt16LE', 65000], ['UInt16BE', 65000],
    ['Int32LE', -70000], ['Int32BE', -70000], ['UInt32LE', 4e9], ['UInt32BE', 4e9], ['FloatLE', 1.5], ['FloatBE', -1.5],
    ['DoubleLE', Math.PI], ['DoubleBE', Math.E], ['BigInt64LE', -5n], ['BigInt64BE', -(2n ** 63n)],
    ['BigUInt64LE', 2n ** 64n - 1n], ['BigUInt64BE', 7n],
  ]) {
    buffer[`write${name}`](value);
    assert.strictEqual(buffer[`read${name}`](), value, name);
  }
  for (let bytes = 1; bytes <= 6; bytes++) {
    const low = -(2 ** (8 * bytes - 1));
    const high = 2 ** (8 * bytes) - 1;
    for (const end of ['LE', 'BE']) {
      buffer[`writeInt${end}`](low, 1, bytes);
      assert.strictEqual(buffer[`readInt${end}`](1, bytes), low);
      buffer[`writeUInt${end}`](high, 1, bytes);
      assert.strictEqual(buffer[`readUInt${end}`](1, bytes), high);
    }
  }
});

test('what does not fit is refused with the range in the message', () => {
  const buffer = Buffer.alloc(8);
  assert.throws(() => buffer.readInt8(8), {
    code: 'ERR_OUT_OF_RANGE', message: 'The value of "offset" is out of range. It must be >= 0 and <= 7. Received 8',
  });
  assert.throws(() => buffer.writeIntBE(2 ** 40, 0, 5), {
    message: 'The value of "value" is out of range. It must be >= -(2 ** 39) and < 2 ** 39. Received 1_099_511_627_776',
  });
  assert.throws(() => buffer.writeBigUInt64LE(-1n), /It must be >= 0n and < 2n \*\* 64n\. Received -1n/);
  assert.throws(() => buffer.readUInt16LE(1.5), /It must be an integer/);
  assert.throws(() => buffer.readUInt16LE('1'), { code: 'ERR_INVALID_ARG_TYPE' });
  assert.throws(() => Buffer.alloc(2).readUInt32LE(), { code: 'ERR_BUFFER_OUT_OF_BOUNDS' });
});

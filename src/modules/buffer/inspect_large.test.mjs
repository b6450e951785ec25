// Printing a buffer costs what is shown, not what is in it: its indices are not listed as keys.
import assert from 'node:assert';
import { inspect } from 'node:util';
import { test } from '../../../test/harness.mjs';

test('a buffer of 256 MiB', () => {
  const buffer = Buffer.allocUnsafeSlow(2 ** 28);
  buffer.fill(0, 0, 50);
  buffer.note = 'x';
  const zeros = Array(50).fill('00').join(' ');
  assert.strictEqual(inspect(buffer), `<Buffer ${zeros} ... 268435406 more bytes, note: 'x'>`);
});

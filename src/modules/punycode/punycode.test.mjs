import assert from 'node:assert';
import punycode from 'node:punycode';
import { test } from '../../../test/harness.mjs';

test('labels are encoded and decoded', () => {
  assert.strictEqual(punycode.encode('mañana'), 'maana-pta');
  assert.strictEqual(punycode.decode('maana-pta'), 'mañana');
  assert.strictEqual(punycode.toASCII('mañana.com'), 'xn--maana-pta.com');
  assert.strictEqual(punycode.toUnicode('xn--maana-pta.com'), 'mañana.com');
});

test('bad input is a RangeError', () => {
  assert.throws(() => punycode.decode('\x80'), RangeError);
});

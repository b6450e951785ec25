import assert from 'node:assert';
import net from 'node:net';
import { test } from '../../../test/harness.mjs';

await test('isIP', () => {
  const all = { '127.0.0.1': 4, '01.2.3.4': 0, '256.1.1.1': 0, '::1': 6, '::': 6, '1::2::3': 0, 'fe80::1%eth0': 6,
    '::ffff:1.2.3.4': 6, '1:2:3:4:5:6:7:8': 6, '1:2:3:4:5:6:7::': 6, '1:2:3:4:5:6:7:8:9': 0, '': 0, 'a': 0 };
  for (const [text, family] of Object.entries(all)) assert.strictEqual(net.isIP(text), family, text);
});

await test('SocketAddress writes IPv6 as RFC 5952 does', () => {
  const text = (address) => new net.SocketAddress({ address, family: 'ipv6' }).address;
  assert.strictEqual(text('0:0:0:0:0:0:0:1'), '::1');
  assert.strictEqual(text('2001:DB8:0:0:1:0:0:1'), '2001:db8::1:0:0:1');
  assert.strictEqual(text('::ffff:102:304'), '::ffff:1.2.3.4');
  assert.strictEqual(text('1:0:2:3:4:5:6:7'), '1:0:2:3:4:5:6:7');
});

await test('BlockList rules cover mapped addresses too', () => {
  const list = new net.BlockList();
  list.addSubnet('10.0.0.0', 8);
  list.addRange('1.1.1.1', '1.1.1.5');
  list.addAddress('fe80::1', 'ipv6');
  assert.deepStrictEqual(list.rules, ['Address: IPv6 fe80::1', 'Range: IPv4 1.1.1.1-1.1.1.5', 'Subnet: IPv4 10.0.0.0/8']);
  assert.ok(list.check('10.200.1.1'));
  assert.ok(list.check('::ffff:1.1.1.3', 'ipv6'));
  assert.ok(list.check('fe80::1', 'ipv6'));
  assert.ok(!list.check('1.1.1.6'));
  const copy = new net.BlockList();
  copy.fromJSON(list.toJSON());
  assert.ok(copy.check('10.200.1.1'));
});

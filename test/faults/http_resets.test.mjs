// Peers that connect and reset, at four points of a request: nothing stays.
import assert from 'node:assert';
import { test } from '../harness.mjs';
import { kMiB, Victim } from './victim.mjs';

test('100,000 connections that reset', () =>
  Victim.run(4096, async (victim) => {
    const before = victim.descriptors();
    await (await victim.attack('reset', 20_000)).leave();
    await victim.settle(before);
    const resident = victim.resident();
    const peers = await victim.attack('reset', 100_000);
    assert.strictEqual(peers.said, '100000');
    await peers.leave();
    await victim.settle(before);
    const left = victim.resident() - resident;
    console.log(`# ${Math.round(left / kMiB)} MiB more than after the first 20,000`);
    assert.ok(left < 16 * kMiB, `${left} bytes stayed`);
  }));

// Peers in great number that want nothing, read nothing, or find no descriptor left: the server lives and serves others
// meanwhile, and its memory and descriptors are back afterwards.
import assert from 'node:assert';
import { test } from '../harness.mjs';
import { kMiB, Victim } from './victim.mjs';

test('50,000 idle connections cost little each, and the second time nothing', () =>
  Victim.run(60_000, async (victim) => {
    const before = victim.descriptors();
    const rest = [victim.resident()];
    for (let round = 0; round < 2; round++) {
      const peers = await victim.attack('idle', 50_000);
      const count = Number(peers.said);
      assert.ok(count > 500, peers.said);
      assert.strictEqual((await victim.state()).connections, count + 1);
      const each = (victim.resident() - rest[0]) / count;
      assert.ok(each < 6144, `${each} bytes a connection`);
      await peers.leave();
      await victim.settle(before);
      rest.push(victim.resident());
      if (count < 50_000) console.log(`# this machine gives descriptors for ${count} connections only`);
      console.log(`# ${Math.round(each)} bytes a connection`);
    }
    // What V8 and malloc keep of the first round is there for the second.
    assert.ok(rest[2] - rest[1] < 8 * kMiB, `${rest} bytes at rest`);
  }));

for (const [path, count] of [['/gibibyte', 20], ['/whole-gibibyte', 1]]) {
  test(`readers that read nothing of ${path}: memory is bounded, others are served`, () =>
    Victim.run(1024, async (victim) => {
      const before = victim.descriptors();
      const resident = victim.resident();
      const peers = await victim.attack('silent', count, path);
      for (let i = 0; i < 20; i++) assert.strictEqual((await victim.state()).connections, count + 1);
      const taken = victim.resident() - resident;
      assert.ok(taken < 64 * kMiB, `${taken} bytes for answers that nobody reads`);
      await peers.leave();
      await victim.settle(before);
    }));
}

test('no descriptor left: peers are turned away, nothing spins, and it recovers', () =>
  Victim.run(64, async (victim) => {
    const before = victim.descriptors();
    const peers = await victim.attack('accept', 120);
    const [kept, closed] = peers.said.split(' ').map(Number);
    assert.ok(kept > 20 && kept < 64 && kept + closed === 120, peers.said);
    let busy;
    for (let i = 0; i < 10; i++) {
      const cpu = victim.cpu();
      await new Promise((resolve) => setTimeout(resolve, 300));
      busy = victim.cpu() - cpu;
      if (busy <= 100) break;
    }
    assert.ok(busy <= 100, `${busy} ms of CPU time in 300 ms in which nothing happened`);
    await peers.leave();
    await victim.settle(before);
  }));

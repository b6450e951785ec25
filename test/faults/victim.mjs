// A server in a process of its own, and crowds of peers that are set on it.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { createInterface } from 'node:readline';

export const kMiB = 2 ** 20;

const file = (name) => new URL(name, import.meta.url).pathname;

/** The first line that a child prints. */
async function firstLine(child) {
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [''])]);
  return line;
}

export class Victim {
  peers = [];

  /** Runs `attack` on a server that may have so many descriptors (or as many as this machine gives). */
  static async run(descriptors, attack) {
    const victim = new Victim();
    // A young generation of one size, so that what stays resident does not depend on how far V8 let it grow.
    const flags = ['--expose-gc', '--max-semi-space-size=1'];
    const limit = `ulimit -n ${descriptors} 2>/dev/null || ulimit -n $(ulimit -Hn); exec "$0" "$@"`;
    victim.child = spawn('sh', ['-c', limit, process.execPath, ...flags, file('victim_server.mjs')],
      { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      victim.port = Number(await firstLine(victim.child));
      await victim.state();
      await attack(victim);
      assert.strictEqual(victim.child.exitCode, null, 'the server lives');
      assert.strictEqual(victim.child.signalCode, null, 'the server lives');
    } finally {
      victim.child.kill();
      for (const peers of victim.peers) peers.stdin.end();
    }
  }

  /** What it says of itself, after collecting its garbage: { connections, served }. */
  async state() {
    const [res] = await once(http.get({ port: this.port, host: '127.0.0.1', path: '/state', agent: false }), 'response');
    let text = '';
    for await (const part of res.setEncoding('utf8')) text += part;
    return JSON.parse(text);
  }

  descriptors() {
    return readdirSync(`/proc/${this.child.pid}/fd`).length;
  }

  resident() {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))[1]) * 1024;
  }

  /** Milliseconds of CPU time. */
  cpu() {
    const fields = readFileSync(`/proc/${this.child.pid}/stat`, 'latin1').replace(/^.*\) /, '').split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  /** Sets peers on it (see rude_peers.py): what they say when in position; `leave` lets them go. */
  async attack(...args) {
    const peers = spawn('python3', [file('rude_peers.py'), String(this.port), ...args.map(String)],
      { stdio: ['pipe', 'pipe', 'inherit'] });
    this.peers.push(peers);
    const exit = once(peers, 'exit');
    const said = await firstLine(peers);
    return {
      said,
      async leave() {
        peers.stdin.end();
        assert.deepStrictEqual(await exit, [0, null]);
      },
    };
  }

  /** Waits until all connections but the one that asks are gone, and their descriptors. */
  async settle(descriptors) {
    for (let i = 0; i < 2000; i++) {
      if ((await this.state()).connections <= 1 && this.descriptors() <= descriptors) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.fail(`${this.descriptors()} descriptors, ${descriptors} before; ${JSON.stringify(await this.state())}`);
  }
}

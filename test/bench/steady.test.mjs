// The load of the latency benchmark counts from when a request was due: a server that stalls once must show it in all the
// requests that were due meanwhile, not only in those that were under way.
import assert from 'node:assert';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from '../harness.mjs';

const steady = new URL('../../build/release/steady', import.meta.url).pathname;
const STALL = 400;

async function load(handler) {
  const server = createServer(handler);
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const args = ['--port', server.address().port, '--rate', 500, '--secs', 1, '--warm', 0, '--conns', 2].map(String);
  try {
    return await new Promise((done, fail) => execFile(steady, args, (error, out) => (error ? fail(error) : done(JSON.parse(out)))));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

if (existsSync(steady)) {
  test('every request that was due is counted', async () => {
    const { answered, unanswered, bad } = await load((req, res) => res.end('hello'));
    assert.deepStrictEqual({ counted: answered + unanswered, bad }, { counted: 500, bad: 0 });
  });

  test('a stall counts in the requests that were due in it', async () => {
    let count = 0;
    const stall = () => { for (const end = performance.now() + STALL; performance.now() < end;); };
    const { max, p90 } = await load((req, res) => {
      if (++count === 100) stall();
      res.end('hello');
    });
    assert.ok(max >= STALL, `max ${max}`);
    assert.ok(p90 >= STALL / 4, `two fifths of the requests waited for the stall, but p90 is ${p90} ms`);
  });
} else {
  console.log('ok # skipped: ./dev bench builds build/release/steady');
}

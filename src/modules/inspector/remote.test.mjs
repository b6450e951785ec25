import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from '../../../test/harness.mjs';

await test('a tool from outside holds the program at its start, looks into it and lets it go', async () => {
  const child = spawn(process.execPath, ['--inspect-brk=0', '-e', 'globalThis.answer = 42; console.log("ran");']);
  let errors = '';
  let output = '';
  child.stdout.on('data', (text) => { output += text; });
  const address = new Promise((resolve) => {
    child.stderr.on('data', (text) => {
      errors += text;
      const [url] = /ws:\/\/\S+/.exec(errors) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const socket = new WebSocket(await address);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const seen = [];
  let waiting;
  socket.addEventListener('message', ({ data }) => {
    seen.push(JSON.parse(data));
    waiting?.();
  });
  const until = async (fits) => {
    for (;;) {
      const found = seen.find(fits);
      if (found) return found;
      await new Promise((resolve) => { waiting = resolve; });
    }
  };
  const send = (id, method, params) => socket.send(JSON.stringify({ id, method, params }));
  send(1, 'Debugger.enable');
  send(2, 'Runtime.runIfWaitingForDebugger');
  await until(({ method }) => method === 'Debugger.paused');
  assert.strictEqual(output, '');
  send(3, 'Runtime.evaluate', { expression: 'typeof answer' });
  assert.strictEqual((await until(({ id }) => id === 3)).result.result.value, 'undefined');
  send(4, 'Debugger.resume');
  await until(({ id }) => id === 4);
  socket.close();
  const [code] = await once(child, 'close');
  assert.deepStrictEqual([code, output], [0, 'ran\n']);
});

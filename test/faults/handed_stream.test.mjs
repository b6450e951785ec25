// A stream that becomes another process's input: nothing of it is read here, whichever backend waits.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from '../harness.mjs';

test('the output of one child as the input of the next arrives whole', async () => {
  const source = spawn('sh', ['-c', 'head -c 1000000 /dev/zero']);
  const middle = spawn('cat', [], { stdio: [source.stdout, 'pipe', 'inherit'] });
  const count = spawn('wc', ['-c'], { stdio: [middle.stdout, 'pipe', 'inherit'] });
  let text = '';
  count.stdout.setEncoding('utf8').on('data', (part) => { text += part; });
  await once(count, 'close');
  assert.strictEqual(text.trim(), '1000000');
});

test('so it does when the stream had begun to read, and was paused', async () => {
  const source = spawn('sh', ['-c', 'echo first; read go; head -c 1000000 /dev/zero']);
  const [first] = await once(source.stdout, 'data');
  assert.strictEqual(String(first), 'first\n');
  source.stdout.pause();
  await new Promise((resolve) => setImmediate(resolve));
  const count = spawn('wc', ['-c'], { stdio: [source.stdout, 'pipe', 'inherit'] });
  let text = '';
  count.stdout.setEncoding('utf8').on('data', (part) => { text += part; });
  source.stdin.write('go\n');
  await once(count, 'close');
  assert.strictEqual(text.trim(), '1000000');
});

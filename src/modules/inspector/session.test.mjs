import assert from 'node:assert';
import { Session } from 'node:inspector/promises';
import { test } from '../../../test/harness.mjs';

await test('a session evaluates, profiles and tells what is unknown', async () => {
  const session = new Session();
  session.connect();
  assert.deepStrictEqual((await session.post('Runtime.evaluate', { expression: '6 * 7' })).result,
    { type: 'number', value: 42, description: '42' });
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  const { profile } = await session.post('Profiler.stop');
  assert.ok(profile.nodes.length > 0);
  await assert.rejects(session.post('No.such'), { code: 'ERR_INSPECTOR_COMMAND' });
  session.disconnect();
  await assert.rejects(async () => session.post('Profiler.start'), { code: 'ERR_INSPECTOR_NOT_CONNECTED' });
});

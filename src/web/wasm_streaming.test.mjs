import assert from 'node:assert';
import { test } from '../../test/harness.mjs';

// (module (func (export "f") (result i32) i32.const 42))
const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0,
                            65, 42, 11);
const response = (type, status = 200) => new Response(bytes, { status, headers: { 'Content-Type': type } });

test('a module is compiled from a Response', async () => {
  const { instance } = await WebAssembly.instantiateStreaming(Promise.resolve(response('application/wasm')));
  assert.strictEqual(instance.exports.f(), 42);
  assert.ok(await WebAssembly.compileStreaming(response('application/wasm')) instanceof WebAssembly.Module);
});

test('what is no module is refused', async () => {
  await assert.rejects(WebAssembly.compileStreaming(response('text/plain')), { code: 'ERR_WEBASSEMBLY_RESPONSE' });
  await assert.rejects(WebAssembly.compileStreaming(response('application/wasm', 404)), /status code 404/);
  await assert.rejects(WebAssembly.compileStreaming({}), { code: 'ERR_INVALID_ARG_TYPE' });
});

// util.parseArgs(): options, positionals, tokens, and what strict mode refuses.
import assert from 'node:assert';
import { parseArgs } from 'node:util';
import { test } from '../../../test/harness.mjs';

const options = { foo: { type: 'string', short: 'f' }, bar: { type: 'boolean', short: 'b' } };
const values = (args, more) => ({ ...parseArgs({ args, options, ...more }).values });

test('forms of options', () => {
  assert.deepStrictEqual(values(['--foo=1', '--bar']), { foo: '1', bar: true });
  assert.deepStrictEqual(values(['-bfx']), { bar: true, foo: 'x' });
  assert.deepStrictEqual(values(['--foo', '1']), { foo: '1' });
  assert.deepStrictEqual(values(['--no-bar'], { allowNegative: true }), { bar: false });
});

test('positionals and the terminator', () => {
  const { positionals } = parseArgs({ args: ['a', '--', '--foo'], options, allowPositionals: true });
  assert.deepStrictEqual(positionals, ['a', '--foo']);
});

test('defaults and multiple', () => {
  const { values: result } = parseArgs({
    args: ['-m', '1', '-m', '2'],
    options: { m: { type: 'string', short: 'm', multiple: true }, d: { type: 'string', default: 'x' } },
  });
  assert.deepStrictEqual({ ...result }, { m: ['1', '2'], d: 'x' });
});

test('what strict mode refuses', () => {
  assert.throws(() => values(['--nope']), { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION', message: "Unknown option '--nope'" });
  assert.throws(() => values(['--foo']), { message: "Option '-f, --foo <value>' argument missing" });
  assert.throws(() => values(['--foo', '--bar']), { code: 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' });
  assert.throws(() => values(['x']), { code: 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL' });
  assert.deepStrictEqual(values(['--other', '-z'], { strict: false }), { other: true, z: true });
});

test('__proto__ is no value', () => {
  assert.strictEqual(Object.getPrototypeOf(parseArgs({ args: ['--__proto__=x'], strict: false }).values), null);
});

// util.parseEnv() reads what .env files hold.
import assert from 'node:assert';
import { parseEnv } from 'node:util';
import { test } from '../../../test/harness.mjs';

test('quotes, comments, exports, lines', () => {
  const text = 'A=1\nB="x y"\n#c\nexport C=\'q\'\nD=`z`\nE=a#b\nF=\nG="two\nlines"\nH= sp  \nI="a\\nb"\nJ=\'a\\nb\'\nbad\n';
  assert.deepStrictEqual({ ...parseEnv(text) }, {
    A: '1', B: 'x y', C: 'q', D: 'z', E: 'a', F: '', G: 'two\nlines', H: 'sp', I: 'a\nb', J: 'a\\nb',
  });
});

test('only text', () => assert.throws(() => parseEnv(1), { code: 'ERR_INVALID_ARG_TYPE' }));

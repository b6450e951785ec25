// What ESLint checks: faults first, then the form that STYLE of this tree has. Formatting is not its business.
import js from '@eslint/js';

/** @param {string} names */
const readonly = (names) => Object.fromEntries(names.split(/\s+/).map((name) => [name, 'readonly']));

// What every file may use: the language's globals come with ecmaVersion.
const kWebGlobals = readonly(`console globalThis queueMicrotask structuredClone setTimeout setInterval setImmediate clearTimeout clearInterval
  clearImmediate AbortController AbortSignal Blob BroadcastChannel ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy
  CustomEvent DecompressionStream DOMException Event EventTarget File FormData Headers MessageChannel MessageEvent MessagePort
  ReadableStream Request Response TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream URL URLPattern URLSearchParams
  WebAssembly WebSocket WritableStream EventSource CloseEvent CryptoKey Storage localStorage sessionStorage atob btoa crypto fetch navigator performance Buffer process`);

const kRules = {
  ...js.configs.recommended.rules,
  'array-callback-return': 'error',
  'consistent-this': 'off',
  'constructor-super': 'error',
  'default-case-last': 'error',
  'dot-notation': 'error',
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  'no-array-constructor': 'off',
  'no-caller': 'error',
  'no-constructor-return': 'off', // constructors called without new
  'no-control-regex': 'off',
  'no-else-return': 'off',
  'no-empty': ['error', { allowEmptyCatch: true }],
  'no-extra-bind': 'error',
  'no-implied-eval': 'error',
  'no-lone-blocks': 'error',
  'no-loss-of-precision': 'error',
  'no-new-func': 'error',
  'no-new-wrappers': 'error',
  'no-octal-escape': 'error',
  'no-promise-executor-return': 'off',
  'no-return-assign': 'off',
  'no-prototype-builtins': 'off',
  'no-self-compare': 'error',
  'no-sequences': ['error', { allowInParentheses: true }],
  'no-shadow-restricted-names': 'error',
  'no-throw-literal': 'error',
  'no-undef-init': 'error',
  'no-unreachable-loop': ['error', { ignore: ['ForOfStatement'] }],
  'no-unused-expressions': ['error', { allowShortCircuit: true, allowTernary: true, allowTaggedTemplates: true }],
  'no-unused-vars': ['error', { args: 'none', caughtErrors: 'none', ignoreRestSiblings: true, varsIgnorePattern: '^_|^unused$' }],
  'no-use-before-define': ['error', { functions: false, classes: false, variables: false }],
  'no-useless-call': 'error',
  'no-useless-computed-key': 'error',
  'no-useless-concat': 'error',
  'no-useless-rename': 'error',
  'no-useless-return': 'error',
  'no-var': 'error',
  'object-shorthand': ['error', 'properties'],
  'prefer-const': ['error', { destructuring: 'all', ignoreReadBeforeAssign: true }],
  'prefer-rest-params': 'off', // lengths of functions are part of what programs see
  'prefer-spread': 'error',
  'require-yield': 'off',
  radix: 'off',
  strict: ['error', 'global'],
  'use-isnan': 'error',
  'valid-typeof': 'error',
  yoda: 'error',
};

/** Tests and fuzzers try what nobody should write. */
const kOddValues = {
  'getter-return': 'off', 'no-new-func': 'off', 'no-new-wrappers': 'off', 'no-regex-spaces': 'off', 'no-sparse-arrays': 'off',
  'no-throw-literal': 'off', 'no-unreachable-loop': 'off',
};

export default [
  { ignores: ['**/node_modules/**', '**/fixtures/**', 'build/**'] },
  {
    // The halves of modules: bodies of a function (exports, require, module, process, binding).
    files: ['src/**/*.js'],
    languageOptions: { ecmaVersion: 2025, sourceType: 'commonjs', globals: { ...kWebGlobals, binding: 'readonly' } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: kRules,
  },
  { files: ['src/runtime/bootstrap.js'], languageOptions: { globals: { native: 'readonly' } } },
  {
    files: ['**/*.cjs'],
    languageOptions: { ecmaVersion: 2025, sourceType: 'commonjs', globals: { ...kWebGlobals, ...readonly('__filename __dirname gc') } },
    rules: { ...kRules, ...kOddValues, strict: 'off' },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { ecmaVersion: 2025, sourceType: 'module', globals: { ...kWebGlobals, gc: 'readonly' } },
    rules: { ...kRules, ...kOddValues, strict: 'off' },
  },
  // Functions of tests become the programs of child processes, which are CommonJS.
  { files: ['**/*.test.mjs'], languageOptions: { globals: { require: 'readonly' } } },
];

'use strict';

// Is a source that is not CommonJS an ES module? Node's documentation ("Syntax detection") lists what decides.

const { compileFunction } = binding('module');

const esmErrors = [
  'Cannot use import statement outside a module',
  "Unexpected token 'export'",
  "Cannot use 'import.meta' outside a module",
];
// What only modules allow: these become visible when the wrapper's parameters are left out.
const retryErrors = [
  "Identifier '__filename' has already been declared",
  "Identifier '__dirname' has already been declared",
  "Identifier 'module' has already been declared",
  "Identifier 'exports' has already been declared",
  "Identifier 'require' has already been declared",
  'await is only valid in async functions and the top level bodies of modules',
];

// What `await expression` looks like to a parser that takes "await" for a name.
const awaitErrors = ['missing ) after argument list', 'Unexpected identifier', 'Unexpected token', 'Unexpected string',
  'Unexpected number', 'Unexpected reserved word', 'missing ] after', 'Unexpected template', 'Invalid shorthand property'];

/** @param {unknown} error what compiling `source` as CommonJS threw */
function isEsmSyntaxError(error, source, filename) {
  if (error === null || typeof error !== 'object' || error.name !== 'SyntaxError') return false;
  const { getOptionValue } = require('#runtime/options');
  if (!getOptionValue('--experimental-detect-module')) return false;
  if (filename.includes('/node_modules/') && filename.endsWith('.ts')) return false;
  const { message } = error;
  if (esmErrors.some((text) => message.includes(text))) return true;
  const mayAwait = /\bawait\b/.test(source) && awaitErrors.some((text) => message.includes(text));
  if (!mayAwait && !retryErrors.some((text) => message.includes(text))) return false;
  // It is one if it compiles in an async function, where top-level await and these names are fine.
  try {
    compileFunction(`(async function() {${source}\n})`, filename, [], undefined, 0, 0);
    return true;
  } catch (inner) {
    return !mayAwait && esmErrors.some((text) => inner.message?.includes(text));
  }
}

/** An ES module where CommonJS was said to be: what to do about it, as a warning. */
function warnOfEsmSyntax(error, filename) {
  if (error === null || typeof error !== 'object' || error.name !== 'SyntaxError') return;
  if (!esmErrors.slice(0, 2).some((text) => String(error.message).includes(text))) return;
  process.emitWarning(`Failed to load the ES module: ${filename}. Make sure to set "type": "module" in the nearest ` +
    'package.json file or use the .mjs extension.', undefined, undefined, warnOfEsmSyntax);
}

/** Whether a source without a declared type is an ES module. */
function isEsm(source, filename, isTypescript = false) {
  const { stripBom } = require('#module/cjs');
  let content = stripBom(typeof source === 'string' ? source : new TextDecoder().decode(source));
  if (isTypescript) content = require('#module/typescript').strip(content, filename);
  try {
    compileFunction(content, filename, ['exports', 'require', 'module', '__filename', '__dirname'], undefined, 0, 0);
    return false;
  } catch (error) {
    return isEsmSyntaxError(error, content, filename);
  }
}

module.exports = { isEsmSyntaxError, isEsm, warnOfEsmSyntax };

'use strict';

// Rewrites an input that awaits at its top level into an async function's call, so that it can be evaluated as a script:
// declarations move out in front of the function, and the last expression's value comes back in an object.

/** What the walk does not go into: `await` and `return` in there are the function's own. */
const kFunctions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'MethodDefinition']);
const kLoops = new Set(['ForStatement', 'ForInStatement', 'ForOfStatement']);

class Rewriter {
  constructor(wrapped) {
    this.text = wrapped.split('');
    this.hoisted = [];
    this.awaits = false;
    this.returns = false;
  }

  replace(from, to, text) {
    for (let i = from; i < to; i++) this.text[i] = '';
    if (from === to) text += this.text[from] ?? '';
    this.text[from] = text;
  }

  prepend(node, text) {
    this.text[node.start] = text + this.text[node.start];
  }

  append(node, text) {
    this.text[node.end - 1] += text;
  }
}

function namesOf(pattern, names) {
  switch (pattern?.type) {
    case 'Identifier':
      names.push(pattern.name);
      break;
    case 'ObjectPattern':
      for (const property of pattern.properties) namesOf(property.type === 'RestElement' ? property.argument : property.value, names);
      break;
    case 'ArrayPattern':
      for (const element of pattern.elements) namesOf(element, names);
      break;
    case 'AssignmentPattern':
      namesOf(pattern.left, names);
      break;
    case 'RestElement':
      namesOf(pattern.argument, names);
  }
  return names;
}

/** `const a = await x, b = 1` becomes `void ( (a = await x), (b = 1) )`, its names declared outside. */
function hoist(state, node, isTop, isLoopHead) {
  // Blocks keep their own names.
  if (node.kind !== 'var' && (!isTop || isLoopHead)) return;
  const names = node.declarations.flatMap(({ id }) => namesOf(id, []));
  state.hoisted.push(`${node.kind === 'var' ? 'var' : 'let'} ${names.join(', ')}; `);
  const keywordEnd = node.start + node.kind.length;
  if (isLoopHead) {
    state.replace(node.start, keywordEnd, '');
    return;
  }
  const isOne = node.declarations.length === 1;
  state.replace(node.start, keywordEnd, isOne ? 'void' : 'void (');
  for (const declaration of node.declarations) {
    state.prepend(declaration, '(');
    state.append(declaration, declaration.init ? ')' : '=undefined)');
  }
  if (!isOne) state.append(node.declarations.at(-1), ')');
}

function rewriteNode(state, body, node, parent) {
  const isTop = body.body.includes(node);
  switch (node.type) {
    case 'FunctionDeclaration':
      if (isTop) {
        state.prepend(node, `this.${node.id.name} = ${node.id.name}; `);
        state.hoisted.push(`var ${node.id.name}; `);
      }
      break;
    case 'ClassDeclaration':
      if (isTop) {
        state.prepend(node, `${node.id.name}=`);
        state.hoisted.push(`let ${node.id.name}; `);
      }
      break;
    case 'ForOfStatement':
      if (node.await === true) state.awaits = true;
      break;
    case 'AwaitExpression':
      state.awaits = true;
      break;
    case 'ReturnStatement':
      state.returns = true;
      break;
    case 'VariableDeclaration':
      hoist(state, node, isTop, kLoops.has(parent?.type) && (parent.init === node || parent.left === node));
  }
  return !kFunctions.has(node.type);
}

/**
 * @param {string} source
 * @returns {string | null} null if there is nothing to await, or no way to rewrite it
 */
function processTopLevelAwait(source) {
  const { Parser } = require('~acorn');
  const { walk } = require('#repl/walk');
  const open = '(async () => { ';
  const wrapped = `${open}${source} })()`;
  let root;
  try {
    root = Parser.parse(wrapped, { ecmaVersion: 'latest' });
  } catch (error) {
    // Unfinished or wrong: told as the input's own error would be.
    if (error.message.startsWith('Unterminated ')) throw recoverable(error);
    return parsesUnfinished(wrapped, source, error);
  }
  const { body } = root.body[0].expression.callee;
  const state = new Rewriter(wrapped);
  for (const statement of body.body) walk(statement, (node, parent) => rewriteNode(state, body, node, parent), body);
  if (!state.awaits || state.returns) return null;
  returnLast(state, body);
  return state.hoisted.join('') + state.text.join('');
}

function returnLast(state, body) {
  for (let i = body.body.length - 1; i >= 0; i--) {
    const node = body.body[i];
    if (node.type === 'EmptyStatement') continue;
    if (node.type !== 'ExpressionStatement') return;
    // In an object, so that a promise is not awaited twice.
    state.prepend(node.expression, '{ value: (');
    state.prepend(node, 'return ');
    state.append(node.expression, ') }');
    return;
  }
}

function recoverable(error) {
  const { Recoverable } = require('#repl/evaluate');
  return new Recoverable(error);
}

/** An error at the very end of the input means that more is to come. */
function parsesUnfinished(wrapped, source, error) {
  const { isRecoverableError } = require('#repl/recoverable');
  if (isRecoverableError(new SyntaxError(error.message), source)) throw recoverable(new SyntaxError(error.message));
  return null;
}

module.exports = { processTopLevelAwait };

'use strict';

// What a tab in the loop completes: commands, modules, files, names in scope and properties.

const kKeywords = ['async', 'await', 'break', 'case', 'catch', 'const', 'continue', 'debugger', 'default', 'delete', 'do', 'else',
  'export', 'false', 'finally', 'for', 'function', 'if', 'import', 'in', 'instanceof', 'let', 'new', 'null', 'return', 'switch',
  'this', 'throw', 'true', 'try', 'typeof', 'var', 'void', 'while', 'with', 'yield'];
const kRequire = /\brequire\s*\(\s*['"`](([\w@./:-]+\/)?(?:[\w@./:-]*))(?![^'"`])$/;
const kImport = /\bimport\s*\(\s*['"`](([\w@./:-]+\/)?(?:[\w@./:-]*))(?![^'"`])$/;
const kFsPath = /fs(?:\.promises)?\.\s*[a-z][a-zA-Z]+\(\s*["'](.*)/;
const kEffects = new Set(['CallExpression', 'NewExpression', 'AssignmentExpression', 'UpdateExpression', 'AwaitExpression',
  'ImportExpression', 'TaggedTemplateExpression', 'YieldExpression']);
const kIdentifier = /^[$_\p{ID_Start}][$\u200c\u200d\p{ID_Continue}]*$/u;

const isIdentifier = (name) => typeof name === 'string' && kIdentifier.test(name);

/** Groups of one kind: filtered by what was typed, without doubles, separated by empty strings. */
function finishGroups(groups, completeOn, callback, filter) {
  const seen = new Set();
  const lists = [];
  for (const group of groups) {
    const wanted = filter ? group.filter((name) => name.toLowerCase().startsWith(filter.toLowerCase())) : group;
    const fresh = wanted.filter((name) => !seen.has(name)).sort((a, b) => a.localeCompare(b, 'en'));
    for (const name of fresh) seen.add(name);
    if (fresh.length > 0) lists.push(fresh);
  }
  // The nearest names come last, next to the cursor.
  const all = [];
  for (const list of lists.reverse()) {
    if (all.length > 0) all.push('');
    all.push(...list);
  }
  callback(null, [all, completeOn]);
}

// --- modules and files ---------------------------------------------------------------------------------------------

function directoryEntries(directory) {
  try {
    return require('fs').readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Names below `subdirectory` of each folder that can be loaded with one of the extensions. */
function loadable(folders, subdirectory, extensions, keepExtensions) {
  const path = require('path');
  const names = [];
  const pattern = new RegExp(`(${extensions.map((e) => e.replace('.', '\\.')).join('|')})$`);
  for (const folder of folders) {
    const directory = path.resolve(folder, subdirectory);
    for (const entry of directoryEntries(directory)) {
      const isDirectory = entry.isDirectory() || (entry.isSymbolicLink() && isDirectoryAt(path.join(directory, entry.name)));
      if (!isDirectory) {
        const extension = path.extname(entry.name);
        const base = entry.name.slice(0, -extension.length || undefined);
        if (!pattern.test(entry.name) || (/-\d+\.\d+(?:\.\d+)?/.test(base))) continue;
        if (keepExtensions) names.push(`${subdirectory}${entry.name}`);
        else if (!subdirectory || base !== 'index') names.push(`${subdirectory}${base}`);
      } else {
        names.push(`${subdirectory}${entry.name}/`);
        const inside = directoryEntries(path.resolve(directory, entry.name));
        if (inside.some(({ name }) => /^index\./.test(name) && pattern.test(name)) || inside.some(({ name }) => name === 'package.json')) {
          names.push(`${subdirectory}${entry.name}`);
        }
      }
    }
  }
  return names;
}

function isDirectoryAt(path) {
  try {
    return require('fs').statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function moduleFolders(server, text) {
  const path = require('path');
  if (text === '.' || text === '..') return [];
  if (/^\.\.?\//.test(text)) return [process.cwd()];
  if (text.startsWith('/')) return ['/'];
  return [...(server.context.module?.paths ?? []), ...require('module').globalPaths].map((p) => path.resolve(p));
}

function completeModule(server, line, match, isImport, callback) {
  const completeOn = match[1];
  const subdirectory = match[2] || '';
  const extensions = isImport ? ['.js', '.json', '.node', '.mjs', '.cjs'] : Object.keys(require('module').Module._extensions);
  const groups = [];
  if (completeOn === '.') groups.push(['./', '../']);
  else if (completeOn === '..') groups.push(['../']);
  groups.push(loadable(moduleFolders(server, completeOn), subdirectory, extensions, isImport));
  if (!subdirectory) {
    const { libraries } = require('repl');
    const ours = require('module').builtinModules;
    groups.push(libraries().filter((name) => !name.startsWith('node:')));
    groups.push(ours.filter((name) => !name.startsWith('_')).map((name) => (name.startsWith('node:') ? name : `node:${name}`)));
  }
  finishGroups(groups, completeOn, callback, completeOn);
}

function completePath(match, callback) {
  const path = require('path');
  const typed = match[1];
  const isWhole = typed.endsWith('/') || (typed !== '' && isDirectoryAt(path.resolve(typed)));
  const directory = path.resolve(isWhole ? typed : path.dirname(typed));
  const prefix = isWhole ? '' : path.basename(typed);
  const names = directoryEntries(directory).map(({ name }) => name).filter((name) => name.startsWith(prefix)).sort();
  callback(null, [names, prefix]);
}

// --- names and properties ------------------------------------------------------------------------------------------

const namesOf = (object) => {
  try {
    return Object.getOwnPropertyNames(object).filter(isIdentifier);
  } catch {
    return [];
  }
};

function chainNames(value) {
  const groups = [];
  let object = value;
  if (typeof value !== 'object' && typeof value !== 'function') object = Object(value);
  for (let depth = 0; object !== null && object !== undefined && depth < 6; depth++) {
    groups.push(namesOf(object));
    try {
      object = Object.getPrototypeOf(object);
    } catch {
      break;
    }
  }
  return groups;
}

/** The expression that the cursor is in, as [object's text or undefined, what is typed of the name, separator]. */
function expressionAt(line) {
  const { Parser } = require('~acorn');
  // The longest tail that parses as an expression with a name put behind it.
  for (let start = 0; start < line.length; start++) {
    if (start > 0 && /[\w$.\])'"`]/.test(line[start - 1]) && /[\w$.[(]/.test(line[start])) continue;
    const tail = line.slice(start);
    if (!/^[\w$([{'"`/@!~+\-\s\p{ID_Start}]/u.test(tail)) continue;
    const probe = `${tail}__tab__`;
    let node;
    try {
      node = Parser.parseExpressionAt(probe, 0, { ecmaVersion: 'latest', allowAwaitOutsideFunction: true });
    } catch {
      continue;
    }
    if (node.end !== probe.length) continue;
    const found = rightmost(node, probe);
    if (found !== undefined) return found;
  }
  return undefined;
}

function rightmost(node, text) {
  switch (node.type) {
    case 'Identifier':
      return { object: undefined, filter: node.name.slice(0, -7), operator: '' };
    case 'MemberExpression': {
      if (node.computed) return undefined;
      const object = text.slice(node.object.start, node.object.end);
      return { object, node: node.object, filter: node.property.name.slice(0, -7),
        operator: text.slice(node.object.end, node.property.start).replace(/\s/g, '') };
    }
    case 'ChainExpression':
      return rightmost(node.expression, text);
    case 'AssignmentExpression':
    case 'BinaryExpression':
    case 'LogicalExpression':
      return rightmost(node.right, text);
    case 'UnaryExpression':
    case 'AwaitExpression':
    case 'SpreadElement':
    case 'UpdateExpression':
      return node.argument ? rightmost(node.argument, text) : undefined;
    case 'ConditionalExpression':
      return rightmost(node.alternate, text);
    case 'SequenceExpression':
      return rightmost(node.expressions.at(-1), text);
    case 'ArrowFunctionExpression':
      return node.body.type === 'BlockStatement' ? undefined : rightmost(node.body, text);
  }
  return undefined;
}

/** Whether evaluating the text could do something. */
function hasEffects(node) {
  let effects = false;
  require('#repl/walk').walk(node, ({ type, operator }) => {
    if (kEffects.has(type) || operator === 'delete') effects = true;
    return !effects;
  });
  return effects;
}

/** Getters are code of the program: their values are not asked for. */
function hasGetterOnTheWay(server, node, text) {
  if (node.type !== 'MemberExpression') return false;
  if (hasGetterOnTheWay(server, node.object, text)) return true;
  let object;
  try {
    object = runQuietly(server, text.slice(node.object.start, node.object.end));
    const name = node.computed ? runQuietly(server, text.slice(node.property.start, node.property.end)) : node.property.name;
    for (let o = Object(object); o !== null; o = Object.getPrototypeOf(o)) {
      const descriptor = Object.getOwnPropertyDescriptor(o, name);
      if (descriptor) return descriptor.get !== undefined && !isOwnLazy(server, object);
    }
  } catch {
    return true;
  }
  return require('util').types.isProxy(object);
}

/** The global object's own getters (modules, process) are ours. */
const isOwnLazy = (server, object) => object === server.context || object === globalThis;

function runQuietly(server, code) {
  const vm = require('vm');
  const script = new vm.Script(`(${code})`, { filename: 'REPL_completion' });
  return server.useGlobal ? script.runInThisContext() : script.runInContext(server.context);
}

function lexicalNames(server) {
  const { globalLexicalNames } = binding('vm');
  try {
    return globalLexicalNames?.(server.context) ?? [];
  } catch {
    return [];
  }
}

function completeGlobal(server, filter, callback) {
  const groups = [];
  const context = server.context;
  groups.push(lexicalNames(server).filter(isIdentifier));
  groups.push(...chainNames(context));
  if (!server.useGlobal) groups.push(languageNames());
  if (filter !== '') groups.push(kKeywords);
  finishGroups(groups, filter, callback, filter);
}

let language;
const languageNames = () => (language ??= require('vm').runInNewContext('Object.getOwnPropertyNames(globalThis)').filter(isIdentifier));

function completeMember(server, found, callback) {
  const { object, node, filter, operator } = found;
  const none = () => callback(null, [[], `${object}${operator}${filter}`]);
  if (/^\d+$/.test(object)) return none();
  if (hasEffects(node)) return none();
  let value;
  try {
    const { Parser } = require('~acorn');
    const parsed = Parser.parseExpressionAt(object, 0, { ecmaVersion: 'latest' });
    if (hasGetterOnTheWay(server, parsed, object)) return none();
    value = runQuietly(server, object);
  } catch {
    return none();
  }
  if (value === undefined || value === null || require('util').types.isProxy(value)) return none();
  const prefix = `${object}${operator}`;
  const groups = chainNames(value).map((names) => names.map((name) => prefix + name));
  finishGroups(groups, `${prefix}${filter}`, callback, `${prefix}${filter}`);
}

/**
 * @param {object} server
 * @param {string} line up to the cursor
 * @param {(error: null, result: [string[], string]) => void} callback
 */
function complete(server, line, callback) {
  line = line.trimStart();
  const command = /^\s*\.(\w*)$/.exec(line);
  if (command !== null && !server.editorMode) {
    const names = Object.keys(server.commands).map((name) => `.${name}`);
    const groups = [names];
    return finishGroups(command[1] === '' ? [names] : groups, command[0].trim(), callback, command[0].trim());
  }
  const required = kRequire.exec(line);
  if (required !== null && server.allowBlockingCompletions) return completeModule(server, line, required, false, callback);
  const imported = kImport.exec(line);
  if (imported !== null && server.allowBlockingCompletions) return completeModule(server, line, imported, true, callback);
  const file = kFsPath.exec(line);
  if (file !== null && server.allowBlockingCompletions) return completePath(file, callback);
  if (line.length === 0) return completeGlobal(server, '', callback);
  // A name that is being declared is nobody else's.
  if (/^\s*(?:let|const|var|class|function\*?)\s+[\w$]*$/.test(line)) return callback(null, [[], line]);
  const found = expressionAt(line);
  if (found === undefined) {
    // Behind an operator or a space everything in scope fits.
    if (/[\s(,=:?&|!~+\-*/%<>[{;]$/.test(line) && !/['"`]/.test(line)) return completeGlobal(server, '', callback);
    return callback(null, [[], undefined]);
  }
  if (found.object === undefined) return completeGlobal(server, found.filter, callback);
  completeMember(server, found, callback);
}

module.exports = { complete };

// What a program can see of Gyre: a line for every property of the globals and of the public modules, found by the
// shortest path. `gyre test/surface/walk.mjs` prints it; run by Node.js, it makes names.txt.
import { builtinModules, createRequire } from 'node:module';
import { runInNewContext } from 'node:vm';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

function keyName(key) {
  return typeof key === 'symbol' ? `[${key.description}]` : key;
}

/** Names that begin with _ and symbols of the core are nobody's business. */
function isPublic(key) {
  if (typeof key === 'symbol') return /^Symbol\.|^nodejs\.(?:rejection|util)/.test(key.description ?? '');
  return !/^\d+$|^_/.test(key);
}

function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function typeName(value) {
  return value === null ? 'null' : typeof value;
}

/** A function's prototype that holds nothing but its constructor says nothing. */
function isPlainPrototype(owner, key, value) {
  return key === 'prototype' && typeof owner === 'function' && isObject(value) && Reflect.ownKeys(value).length <= 1 &&
    Object.getPrototypeOf(value) === Object.prototype;
}

/** What the language has by itself. */
function languageObjects() {
  const known = new Set([globalThis, process.env, process.config, Function.prototype, Object.prototype]);
  for (const name of runInNewContext('Object.getOwnPropertyNames(globalThis)')) {
    const value = globalThis[name];
    if (!isObject(value) || name === 'console') continue;
    known.add(value);
    if (isObject(value.prototype)) known.add(value.prototype);
  }
  for (const fn of [async function() {}, function* () {}, async function* () {}]) {
    for (let o = fn; o; o = Object.getPrototypeOf(o)) known.add(o);
    for (let o = fn.prototype; o; o = Object.getPrototypeOf(o)) known.add(o);
  }
  const typed = Object.getPrototypeOf(Uint8Array);
  return known.add(typed).add(typed.prototype);
}

/** @returns {Map<string, string>} path -> kind */
export function walkSurface() {
  process.removeAllListeners('warning');
  const { emitWarning } = process;
  process.emitWarning = () => {};
  const found = new Map();
  const seen = languageObjects();
  const queue = [];
  const visit = (path, value, depth) => {
    if (!isObject(value) || seen.has(value)) return;
    seen.add(value);
    queue.push({ path, value, depth });
  };
  for (const key of Reflect.ownKeys(globalThis).filter(isPublic)) {
    let value;
    try {
      value = globalThis[key];
    } catch {
      // localStorage without a file to keep it in.
    }
    found.set(`globalThis.${keyName(key)}`, typeName(value));
    visit(keyName(key), value, 1);
  }
  const modules = [...new Set([...builtinModules, 'node:sea', 'node:sqlite', 'node:test', 'node:test/reporters'])];
  for (const name of modules.filter((id) => !id.startsWith('_')).sort()) {
    const value = require(name);
    const path = name.replace(/^node:/, '');
    found.set(path, `module ${typeName(value)}`);
    visit(path, value, 0);
  }
  while (queue.length > 0) members(queue.shift(), found, visit);
  process.emitWarning = emitWarning;
  return found;
}

function members({ path, value, depth }, found, visit) {
  if (depth > 4 || ArrayBuffer.isView(value) || Array.isArray(value)) return;
  for (const key of Reflect.ownKeys(value).filter(isPublic)) {
    const desc = Object.getOwnPropertyDescriptor(value, key);
    if (typeof value === 'function' && ['name', 'length', 'arguments', 'caller'].includes(key)) continue;
    if (key === 'constructor' || isPlainPrototype(value, key, desc.value)) continue;
    const here = `${path}.${keyName(key)}`;
    let member = desc.value;
    // A module's members may be made when first asked for; of what else is computed only the name counts.
    if (desc.get && depth === 0) member = value[key];
    const isValue = 'value' in desc || depth === 0;
    found.set(here, isValue ? typeName(member) : 'accessor');
    visit(here, member, depth + 1);
  }
  const proto = Object.getPrototypeOf(value);
  if (typeof value === 'object' && depth > 0 && isObject(proto)) visit(path, proto, depth + 1);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [path, kind] of [...walkSurface()].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(path, kind);
}

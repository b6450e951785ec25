'use strict';

// process.allowedNodeEnvironmentFlags: the options that NODE_OPTIONS may hold.

const { all } = require('#runtime/options');

let set;

// Short names, and V8's own.
const furtherNames = ['--require', '--import', '-r', '-C', '--inspect-brk', '--inspect-wait', '--max-old-space-size',
  '--stack-trace-limit', '--abort-on-uncaught-exception', '--interpreted-frames-native-stack', '--jitless',
  '--perf-basic-prof', '--perf-basic-prof-only-functions', '--perf-prof', '--perf-prof-unwinding-info',
  '--disallow-code-generation-from-strings', '--max-semi-space-size'];

/** Its members are apart from what Set keeps, so that nobody adds to them. */
class NodeEnvironmentFlagsSet extends Set {
  #flags;

  constructor(names) {
    super();
    this.#flags = new Set(names);
  }

  add() {
    return this;
  }
  delete() {
    return false;
  }
  clear() {}
  get size() {
    return this.#flags.size;
  }
  forEach(callback, thisArg = undefined) {
    for (const flag of this.#flags) Reflect.apply(callback, thisArg, [flag, flag, this]);
  }
  values() {
    return this.#flags.values();
  }
  keys() {
    return this.#flags.values();
  }
  entries() {
    return this.#flags.entries();
  }
  [Symbol.iterator]() {
    return this.#flags.values();
  }
  has(key) {
    if (typeof key !== 'string') return false;
    key = key.replaceAll('_', '-').replace(/=.*$/, '');
    if (/^--?[^-]/.test(key) || /^-[^-]$/.test(key)) return this.#flags.has(key) || this.#flags.has(key.replace(/^--no-/, '--'));
    if (key.startsWith('-')) return false;
    return this.#flags.has(`--${key}`) || this.#flags.has(`-${key}`) || this.#flags.has(`--${key.replace(/^no-/, '')}`);
  }
}

function flags() {
  if (set === undefined) {
    const names = Object.keys(all().values).filter((name) => !['--eval', '--print', '--check', '--help', '--version',
      '--interactive', '--test', '--expose-internals'].includes(name));
    set = new NodeEnvironmentFlagsSet([...names, ...furtherNames]);
    Object.freeze(set);
  }
  return set;
}

module.exports = { flags };

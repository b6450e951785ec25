'use strict';

// process.allowedNodeEnvironmentFlags: the options that NODE_OPTIONS may hold.

const { all } = require('#runtime/options');

let set;

class NodeEnvironmentFlagsSet extends Set {
  add() {
    return this;
  }
  delete() {
    return false;
  }
  clear() {}
  has(key) {
    if (typeof key !== 'string') return false;
    key = key.replaceAll('_', '-').replace(/=.*$/, '');
    if (/^--?[^-]/.test(key) || /^-[^-]$/.test(key)) return super.has(key) || super.has(key.replace(/^--no-/, '--'));
    if (key.startsWith('-')) return false;
    return super.has(`--${key}`) || super.has(`-${key}`) || super.has(`--${key.replace(/^no-/, '')}`);
  }
}

function flags() {
  if (set === undefined) {
    set = new NodeEnvironmentFlagsSet();
    const names = Object.keys(all().values).filter((name) => !['--eval', '--print', '--check', '--help', '--version',
      '--interactive', '--test', '--expose-internals'].includes(name));
    for (const name of [...names, '--require', '--import', '-r', '-C', '--inspect-brk', '--inspect-wait', '--max-old-space-size', '--stack-trace-limit',
      '--abort-on-uncaught-exception', '--interpreted-frames-native-stack', '--jitless', '--perf-basic-prof',
      '--max-semi-space-size']) {
      Set.prototype.add.call(set, name);
    }
    Object.freeze(set);
  }
  return set;
}

module.exports = { flags };

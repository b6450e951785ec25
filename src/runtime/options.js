'use strict';

// The command line, as the JavaScript halves ask for it. Read when first asked for: a snapshot knows no command line.

const { getOptions } = binding('realm');

let options;

/** @returns {{ values: Record<string, any>, execPath: string, argv0: string, execArgv: string[], args: string[],
 *   forceStdin: boolean, isMainThread: boolean, threadId: number }} */
function all() {
  return (options ??= getOptions());
}

/** The value of an option by its full name: a boolean for flags, a string, a list, or undefined. */
function getOptionValue(name) {
  if (name.startsWith('--no-')) return !all().values[`--${name.slice(5)}`];
  return all().values[name];
}

/**
 * What `read` makes of the command line, worked out when first asked for. Not for ever: the snapshot is made under a command
 * line that no program has, and a worker gets options of its own.
 * @template T
 * @param {() => T} read
 * @returns {() => T}
 */
function remembered(read) {
  let known;
  let value;
  return () => {
    if (known !== all()) {
      value = read();
      known = all();
    }
    return value;
  };
}

/** Workers have options of their own. */
function override(changes) {
  options = { ...all(), ...changes };
}

/** The snapshot's own options are nobody's. */
function forget() {
  options = undefined;
}

module.exports = { all, forget, getOptionValue, override, remembered };

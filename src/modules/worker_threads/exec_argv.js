'use strict';

// Which options a worker may be given by execArgv: those of the thread, not those of the process.

const ofTheProcess = new Set(['--title', '--v8-options', '--version', '--help', '--eval', '--print', '--check', '--interactive',
  '--test', '--watch', '--max-old-space-size', '--max-semi-space-size', '--abort-on-uncaught-exception', '--expose-gc',
  '--redirect-warnings', '--trace-sigint', '--secure-heap', '--secure-heap-min', '--tls-min-v1.0', '--use-openssl-ca',
  '--enable-fips', '--force-fips', '--icu-data-dir', '--openssl-config']);

function nameOf(argument) {
  const [name] = argument.split('=', 1);
  const full = { '-r': '--require', '-e': '--eval', '-p': '--print', '-c': '--check', '-v': '--version', '-h': '--help',
                 '-C': '--conditions' }[name] ?? name;
  return full.replaceAll('_', '-');
}

/** @param {boolean} [inEnvironment] those of the process are there, but not the worker's business */
function known(argument, inEnvironment = false) {
  const name = nameOf(argument);
  if (ofTheProcess.has(name)) return inEnvironment;
  const { values } = require('#runtime/options').all();
  const positive = name.startsWith('--no-') ? `--${name.slice(5)}` : name;
  return positive in values || listNames.has(positive);
}
const listNames = new Set(['--require', '--import', '--conditions', '--loader', '--experimental-loader', '--input-type',
  '--unhandled-rejections', '--disable-warning', '--stack-trace-limit', '--dns-result-order', '--max-http-header-size',
  '--env-file', '--cpu-prof-dir', '--cpu-prof-name', '--cpu-prof-interval', '--heap-prof-dir', '--heap-prof-name',
  '--heap-prof-interval', '--diagnostic-dir']);

/** The words of NODE_OPTIONS: apart by spaces; double quotes group, a backslash inside them takes the next character. */
function splitNodeOptions(text) {
  const words = text.match(/(?:[^\s"]|"(?:\\.|[^"\\])*")+/g) ?? [];
  return words.map((word) => word.replace(/"((?:\\.|[^"\\])*)"/g, (all, inner) => inner.replace(/\\(.)/g, '$1')));
}

/** Options of a list of arguments, on top of those of the process. */
function parse(execArgv) {
  const changes = {};
  for (let index = 0; index < execArgv.length; index++) {
    const argument = execArgv[index];
    if (!argument.startsWith('-')) continue;
    const name = nameOf(argument);
    const equals = argument.indexOf('=');
    if (['--require', '--import', '--conditions', '--disable-warning'].includes(name)) {
      (changes[name] ??= []).push(equals === -1 ? execArgv[++index] : argument.slice(equals + 1));
    } else if (listNames.has(name)) {
      changes[name] = equals === -1 ? execArgv[++index] : argument.slice(equals + 1);
    } else if (name.startsWith('--no-')) {
      changes[`--${name.slice(5)}`] = false;
    } else {
      changes[name] = true;
    }
  }
  return changes;
}

module.exports = { known, parse, splitNodeOptions };

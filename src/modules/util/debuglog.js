'use strict';

// util.debuglog(): messages to stderr for the sections that NODE_DEBUG names.


let enabledTest;

/** NODE_DEBUG is a list of sections, `*` matching anything. */
function isEnabled(section) {
  if (enabledTest === undefined) {
    const list = process.env.NODE_DEBUG;
    if (list) {
      const pattern = list.replace(/[|\\{}()[\]^$+?.]/g, '\\$&').replaceAll('*', '.*').replaceAll(',', '$|^');
      const regexp = new RegExp(`^${pattern}$`, 'i');
      enabledTest = (name) => regexp.test(name);
    } else {
      enabledTest = () => false;
    }
  }
  return enabledTest(section);
}

function warnOfSecrets(section) {
  if (section !== 'HTTP' && section !== 'HTTP2') return;
  process.emitWarning(`Setting the NODE_DEBUG environment variable to '${section.toLowerCase()}' can expose ` +
    'sensitive data (such as passwords, tokens and authentication headers) in the resulting log.');
}

function makeWriter(section) {
  const prefix = `${section} ${process.pid}: `;
  warnOfSecrets(section);
  return function debug(...args) {
    const { formatWithOptions } = require('#util/inspect');
    const { shouldColorize } = require('#internal/colors');
    const text = formatWithOptions({ colors: shouldColorize(process.stderr) }, ...args);
    process.stderr.write(`${prefix}${text}\n`);
  };
}

function noop() {}

/** @param {(fn: Function) => void} [callback] is given the function that need not test any more */
function debuglog(section, callback) {
  section = `${section}`.toUpperCase();
  let write;
  let enabled;
  const test = () => enabled ??= isEnabled(section);
  const logger = (...args) => {
    if (write === undefined) {
      write = test() ? makeWriter(section) : noop;
      if (typeof callback === 'function') callback(write);
    }
    return write(...args);
  };
  Object.defineProperty(logger, 'enabled', {
    __proto__: null, get() { return test(); }, configurable: true, enumerable: true,
  });
  return logger;
}

module.exports = { debuglog };

'use strict';

// process.report: diagnostic reports. The document is made by the native half, so that it needs no JavaScript to run.

const native = binding('report');
const options = require('#runtime/options');
const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_SYNTHETIC },
} = require('#internal/errors');
const { validateBoolean, validateObject, validateSignalName, validateString } = require('#internal/validators');

let reportOnSignal = false;
let reportOnUncaughtException = false;
let signal = 'SIGUSR2';

/** What goes wrong while an error is looked at is not for the program that wants a report. */
function attempt(get, otherwise) {
  try {
    return get();
  } catch {
    return otherwise;
  }
}

/** @returns {[message?: string, lines?: string[], properties?: string[]]} what the native side takes of an error */
function describe(error) {
  if (error === null || typeof error !== 'object') return [attempt(() => String(error), 'No stack.'), undefined, []];
  const properties = [];
  for (const key of attempt(() => Object.keys(error), [])) {
    attempt(() => properties.push(key, String(error[key])));
  }
  const stack = attempt(() => error.stack, undefined);
  if (typeof stack !== 'string') return [undefined, undefined, properties];
  const [message, ...lines] = stack.split('\n');
  return [message, lines.map((line) => line.trim()).filter((line) => line !== ''), properties];
}

function handOverVersions() {
  const { headersUrl, sourceUrl, ...release } = process.release;
  native.setVersions(Object.entries(process.versions).flat(), Object.entries({ ...release, headersUrl, sourceUrl }).flat());
}

function writeReport(file, error) {
  if (typeof file === 'object' && file !== null) {
    error = file;
    file = undefined;
  } else if (file !== undefined && typeof file !== 'string') {
    throw new ERR_INVALID_ARG_TYPE('file', 'String', file);
  } else if (error === undefined) {
    error = new ERR_SYNTHETIC();
  } else {
    validateObject(error, 'err');
  }
  handOverVersions();
  return native.write('JavaScript API', 'API', file ?? '', ...describe(error));
}

function getReport(error) {
  if (error === undefined) error = new ERR_SYNTHETIC();
  else validateObject(error, 'err');
  handOverVersions();
  return JSON.parse(native.get('JavaScript API', 'GetReport', ...describe(error)));
}

function onSignal(name) {
  handOverVersions();
  native.write(name, 'Signal', '', ...describe(new ERR_SYNTHETIC()));
}

/** Before an exception that nobody handles ends the process. */
function onUncaughtException(error) {
  if (!reportOnUncaughtException) return;
  handOverVersions();
  native.write('Exception', 'Exception', '', ...describe(error));
}

function listen() {
  process.removeListener(signal, onSignal);
  if (reportOnSignal) process.on(signal, onSignal);
}

/** Settings that the native side keeps for all threads. */
function shared(name, validate, set) {
  return {
    get: () => native.getConfig()[name],
    set(value) {
      validate(value, name);
      set(name, value);
    },
  };
}
const flag = (name) => shared(name, validateBoolean, native.setFlag);
const text = (name) => shared(name, validateString, native.setText);

const settings = {
  directory: text('directory'),
  filename: text('filename'),
  compact: flag('compact'),
  excludeNetwork: flag('excludeNetwork'),
  signal: {
    get: () => signal,
    set(value) {
      validateSignalName(value, 'signal');
      process.removeListener(signal, onSignal);
      signal = value;
      listen();
    },
  },
  reportOnFatalError: flag('reportOnFatalError'),
  reportOnSignal: {
    get: () => reportOnSignal,
    set(value) {
      validateBoolean(value, 'trigger');
      reportOnSignal = value;
      listen();
    },
  },
  reportOnUncaughtException: {
    get: () => reportOnUncaughtException,
    set(value) {
      validateBoolean(value, 'trigger');
      reportOnUncaughtException = value;
    },
  },
  excludeEnv: flag('excludeEnv'),
};

const report = { writeReport, getReport };
for (const [name, { get, set }] of Object.entries(settings)) {
  const named = (kind, fn) => Object.defineProperty(fn, 'name', {
    __proto__: null, value: `${kind} ${name}`,
  });
  Object.defineProperty(report, name, {
    __proto__: null, get: named('get', get), set: named('set', set), enumerable: true, configurable: true,
  });
}

/** Takes over what the command line says. */
function start() {
  const { values, isMainThread } = options.all();
  reportOnUncaughtException = values['--report-uncaught-exception'] === true;
  if (!isMainThread) return;
  for (const [option, name] of [['--report-compact', 'compact'], ['--report-exclude-network', 'excludeNetwork'],
    ['--report-exclude-env', 'excludeEnv'], ['--report-on-fatalerror', 'reportOnFatalError']]) {
    native.setFlag(name, values[option] === true);
  }
  native.setText('directory', values['--report-directory'] ?? values['--report-dir'] ?? '');
  native.setText('filename', values['--report-filename'] ?? '');
  if (values['--report-signal'] !== undefined) signal = values['--report-signal'];
  if (values['--report-on-signal']) report.reportOnSignal = true;
  handOverVersions();
}

module.exports = { report, start, onUncaughtException };

'use strict';

// The signals of Linux: what os.constants.signals holds, and look-ups by name and number.

const { codes: { ERR_UNKNOWN_SIGNAL } } = require('#internal/errors');

const signals = {
  __proto__: null,
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGIOT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGCHLD: 17,
  SIGSTKFLT: 16,
  SIGCONT: 18,
  SIGSTOP: 19,
  SIGTSTP: 20,
  SIGTTIN: 21,
  SIGTTOU: 22,
  SIGURG: 23,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGVTALRM: 26,
  SIGPROF: 27,
  SIGWINCH: 28,
  SIGIO: 29,
  SIGPOLL: 29,
  SIGPWR: 30,
  SIGSYS: 31,
};

let names;
/** @returns {string | undefined} the first name of a signal's number */
function signalName(number) {
  if (names === undefined) {
    names = new Map();
    for (const name in signals) if (!names.has(signals[name])) names.set(signals[name], name);
  }
  return names.get(number);
}

/** @returns {number} the number of a signal given by name (any case) or number */
function convertToValidSignal(signal) {
  if (typeof signal === 'number' && signalName(signal) !== undefined) return signal;
  if (typeof signal === 'string') {
    const number = signals[signal.toUpperCase()];
    if (number) return number;
  }
  throw new ERR_UNKNOWN_SIGNAL(signal);
}

module.exports = { signals, signalName, convertToValidSignal };

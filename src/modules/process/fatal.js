'use strict';

// An exception that nobody caught: process.on('uncaughtException') and its kin, or the end of the process with a report.

const exitModule = require('#process/exit');
const { unwindAfterException } = require('#async_hooks/hooks');
const { codes: { ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET, ERR_INVALID_ARG_TYPE } } = require('#internal/errors');

let captureCallback = null;
// node:domain's: tried before all else; and what says that no capture callback may be set beside it.
let domainHandler = null;
let refuseCapture = null;

function setDomainHandler(fn) {
  domainHandler = fn;
}

function forbidCaptureCallback(fail) {
  refuseCapture = fail;
}
let reporting = false;

function setUncaughtExceptionCaptureCallback(fn) {
  if (refuseCapture !== null) refuseCapture();
  if (fn === null) {
    captureCallback = null;
    return;
  }
  if (typeof fn !== 'function') throw new ERR_INVALID_ARG_TYPE('fn', ['Function', 'null'], fn);
  if (captureCallback !== null) throw new ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET();
  captureCallback = fn;
}

function hasUncaughtExceptionCaptureCallback() {
  return captureCallback !== null;
}

/** Adds where an 'error' event was emitted that nobody listened for. */
function enhance(error) {
  const { kEnhanceStackBeforeInspector } = require('#events/symbols');
  const stackOf = typeof error === 'object' && error !== null ? error[kEnhanceStackBeforeInspector] : undefined;
  if (typeof stackOf === 'function') error.stack = stackOf();
}

function report(error, fromPromise, arrow) {
  let text;
  try {
    enhance(error);
    if (require('#runtime/loader').isLoaded('#module/source_map_support')) {
      arrow = require('#module/source_map_support').remapArrow(arrow);
    }
    text = require('#internal/error_report').formatUncaught(error, { arrow, fromPromise });
  } catch {
    text = `${arrow}${String(error)}\n\nNode.js ${process.version}\n`;
  }
  binding('process').rawDebug(text.endsWith('\n') ? text.slice(0, -1) : text);
}

/** Ends the process after 'exit' had its say; what `print` writes comes behind what its listeners write. */
function die(status, print = undefined) {
  try {
    if (!process._exiting) {
      process._exiting = true;
      exitModule.setExitCode(status);
      process.emit('exit', status);
    }
  } catch {
    // Whatever an 'exit' listener throws now changes nothing.
  }
  print?.();
  const chosen = process.exitCode ?? status;
  process.reallyExit(Number(chosen));
}

/**
 * @param {unknown} error
 * @param {boolean} fromPromise an unhandled rejection
 * @param {string} arrow the line of source with a caret, or ''
 * @returns {boolean} whether somebody handled it
 */
function onUncaught(error, fromPromise, arrow) {
  const handled = dispatch(error, fromPromise, arrow);
  if (handled) unwindAfterException();
  return handled;
}

/** --abort-on-uncaught-exception: no listener of the process is asked, only a domain that will deal with it. */
function abortIfAsked(error, fromPromise, arrow) {
  const { getOptionValue } = require('#runtime/options');
  if (!getOptionValue('--abort-on-uncaught-exception') || fromPromise || captureCallback !== null) return;
  if (domainHandler !== null && domainHandler.willHandle()) return;
  report(error, fromPromise, arrow);
  binding('process').abort();
}

function dispatch(error, fromPromise, arrow) {
  abortIfAsked(error, fromPromise, arrow);
  const origin = fromPromise ? 'unhandledRejection' : 'uncaughtException';
  if (reporting) process.reallyExit(7);
  try {
    process.emit('uncaughtExceptionMonitor', error, origin);
    if (domainHandler !== null && domainHandler(error)) return true;
    if (captureCallback !== null) {
      captureCallback(error);
      return true;
    }
    if (process.emit('uncaughtException', error, origin)) return true;
  } catch (inner) {
    // A listener that throws: that is the error to report, with status 7.
    if (!binding('realm').getOptions().isMainThread) {
      require('#worker_threads/main').reportFatal(inner);
      return false;
    }
    reporting = true;
    report(inner, false, '');
    if (require('#runtime/options').getOptionValue('--abort-on-uncaught-exception')) {
      binding('process').abort();
    }
    die(7);
    return false;
  }
  reporting = true;
  if (require('#runtime/loader').isLoaded('#process/report')) require('#process/report').onUncaughtException(error);
  if (binding('realm').getOptions().isMainThread) {
    die(1, () => report(error, fromPromise, arrow));
  } else {
    reporting = false;
    require('#worker_threads/main').reportFatal(error);
  }
  return false;
}

module.exports = {
  onUncaught, report, setDomainHandler, forbidCaptureCallback, setUncaughtExceptionCaptureCallback,
  hasUncaughtExceptionCaptureCallback,
};

'use strict';

// node:inspector/promises: the same with a post() that returns a promise.

const inspector = require('inspector');
const { promisify } = require('util');

class Session extends inspector.Session {}

/** @returns {Promise<object>} */
Session.prototype.post = promisify(inspector.Session.prototype.post);
Object.defineProperty(Session.prototype, 'post', { __proto__: null, enumerable: false });

module.exports = {
  open: inspector.open,
  close: inspector.close,
  url: inspector.url,
  waitForDebugger: inspector.waitForDebugger,
  console: inspector.console,
  Session,
};

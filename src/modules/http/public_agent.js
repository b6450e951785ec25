'use strict';

const { Agent, getGlobalAgent, setGlobalAgent } = require('#http/agent');

module.exports = { Agent };
Object.defineProperty(module.exports, 'globalAgent', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get: getGlobalAgent,
  set: setGlobalAgent,
});

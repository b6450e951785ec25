'use strict';

// node:dns: the module's face. See lookup.js (the system's resolver), resolver.js (name servers).

const {
  ADDRCONFIG,
  ALL,
  V4MAPPED,
  getDefaultResultOrder,
  lookup,
  lookupService,
  setDefaultResultOrder,
} = require('#dns/lookup');
const { Resolver, defaultCallbacks, boundMethods, setDefaultServers } = require('#dns/resolver');
const { exported } = require('#dns/codes');

/** @param {string[]} servers */
function setServers(servers) {
  setDefaultServers(servers);
}

module.exports = {
  lookup,
  lookupService,
  Resolver,
  getDefaultResultOrder,
  setDefaultResultOrder,
  setServers,
  ADDRCONFIG,
  ALL,
  V4MAPPED,
  ...exported,
  ...boundMethods(defaultCallbacks),
};

Object.defineProperty(module.exports, 'promises', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() {
    return require('dns/promises');
  },
});

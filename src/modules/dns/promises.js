'use strict';

// node:dns/promises.

const {
  getDefaultResultOrder,
  lookupPromise,
  lookupServicePromise,
  setDefaultResultOrder,
} = require('#dns/lookup');
const { PromisesResolver, defaultPromises, boundMethods, setDefaultServers } = require('#dns/resolver');
const { exported } = require('#dns/codes');

function named(name, fn) {
  Object.defineProperty(fn, 'name', { __proto__: null, value: name });
  return fn;
}

module.exports = {
  lookup: named('lookup', lookupPromise),
  lookupService: named('lookupService', lookupServicePromise),
  Resolver: PromisesResolver,
  getDefaultResultOrder,
  setDefaultResultOrder,
  setServers: named('setServers', (servers) => setDefaultServers(servers)),
  ...exported,
  ...boundMethods(defaultPromises),
};

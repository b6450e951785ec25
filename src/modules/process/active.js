'use strict';

// process.getActiveResourcesInfo and its older kin.

/** Rooms register what they know to be active: () => [{ type, resource, request }]. */
const sources = new Set();

function all() {
  return [...sources].flatMap((source) => source());
}

module.exports = {
  addSource(source) { sources.add(source); },
  handles: () => all().filter((entry) => !entry.request && entry.resource !== undefined).map((entry) => entry.resource),
  requests: () => all().filter((entry) => entry.request && entry.resource !== undefined).map((entry) => entry.resource),
  resourcesInfo: () => all().map((entry) => entry.type),
};

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
  resourcesInfo() {
    const { timerInfo, immediateInfo } = binding('timers');
    const names = all().map((entry) => entry.type);
    // Only those that keep the loop alive count.
    for (let i = 0; i < timerInfo[0]; i++) names.push('Timeout');
    for (let i = 0; i < immediateInfo[1]; i++) names.push('Immediate');
    return names;
  },
};

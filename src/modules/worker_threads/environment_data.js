'use strict';

// setEnvironmentData and getEnvironmentData: a map that new workers get a copy of.

let data = new Map();

function setEnvironmentData(key, value) {
  if (value === undefined) data.delete(key);
  else data.set(key, value);
}

function getEnvironmentData(key) {
  return data.get(key);
}

module.exports = {
  setEnvironmentData,
  getEnvironmentData,
  all: () => data,
  adopt(map) { data = map; },
};

'use strict';

// resourceLimits: the object and the array that the native side takes.

const names = ['maxYoungGenerationSizeMb', 'maxOldGenerationSizeMb', 'codeRangeSizeMb', 'stackSizeMb'];

const least = { __proto__: null, maxOldGenerationSizeMb: 2 };

/** @returns {Float64Array} zeros where nothing was asked for */
function toArray(limits) {
  const array = new Float64Array(names.length);
  if (limits === null || typeof limits !== 'object') return array;
  names.forEach((name, index) => {
    if (typeof limits[name] === 'number') array[index] = Math.max(limits[name], least[name] ?? 0);
  });
  return array;
}

function toObject(array) {
  return Object.fromEntries(names.map((name, index) => [name, array[index]]));
}

function current() {
  return toObject(binding('worker').resourceLimits());
}

module.exports = { toArray, toObject, current };

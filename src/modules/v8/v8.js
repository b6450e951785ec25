'use strict';

// node:v8.

const native = binding('v8');
const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_NOT_BUILDING_SNAPSHOT },
} = require('#internal/errors');
const {
  validateFunction, validateObject, validateOneOf, validateString, validateUint32,
} = require('#internal/validators');
const { emitExperimentalWarning } = require('#internal/util');
const serdes = require('#v8/serdes');
const { snapshotOptions, streamOf } = require('#v8/snapshots');

const heapNames = [
  'total_heap_size', 'total_heap_size_executable', 'total_physical_size', 'total_available_size',
  'used_heap_size', 'heap_size_limit', 'malloced_memory', 'peak_malloced_memory', 'does_zap_garbage',
  'number_of_native_contexts', 'number_of_detached_contexts', 'total_global_handles_size',
  'used_global_handles_size', 'external_memory',
];
const spaceNames = [
  'space_name', 'space_size', 'space_used_size', 'space_available_size', 'physical_space_size',
];
const codeNames = [
  'code_and_metadata_size', 'bytecode_and_metadata_size', 'external_script_source_size',
  'cpu_profiler_metadata_size',
];

function named(names, values) {
  const object = {};
  for (let i = 0; i < names.length; i++) object[names[i]] = values[i];
  return object;
}

function cachedDataVersionTag() {
  return native.cachedDataVersionTag();
}

function getHeapStatistics() {
  return named(heapNames, native.heapStatistics());
}

function getHeapSpaceStatistics() {
  return native.heapSpaceStatistics().map((row) => named(spaceNames, row));
}

function getHeapCodeStatistics() {
  return named(codeNames, native.heapCodeStatistics());
}

function getCppHeapStatistics(type = 'detailed') {
  validateOneOf(type, 'type', ['brief', 'detailed']);
  const [committed, resident, used] = native.cppHeapStatistics();
  return {
    __proto__: null,
    committed_size_bytes: committed,
    resident_size_bytes: resident,
    used_size_bytes: used,
    space_statistics: [],
    type_names: [],
    detail_level: type,
  };
}

function setFlagsFromString(flags) {
  validateString(flags, 'flags');
  native.setFlagsFromString(flags);
}

/** A Readable of the snapshot's JSON. */
function getHeapSnapshot(options = {}) {
  const [internals, numbers] = snapshotOptions(options);
  return streamOf(native.heapSnapshot(internals, numbers));
}

let sequence = 0;
function defaultSnapshotName(extension) {
  const now = new Date();
  const two = (number) => String(number).padStart(2, '0');
  const date = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
  const { threadId } = require('worker_threads');
  return `Heap.${date}.${time}.${process.pid}.${threadId}.${String(++sequence).padStart(3, '0')}${extension}`;
}

/** @param {string | Buffer | URL} value */
function toPath(value) {
  if (value instanceof URL) value = require('url').fileURLToPath(value);
  if (typeof value !== 'string' && !Buffer.isBuffer(value)) {
    throw new ERR_INVALID_ARG_TYPE('path', ['string', 'Buffer', 'URL'], value);
  }
  if (value.includes('\u0000')) {
    throw new ERR_INVALID_ARG_VALUE('path', value, 'must be a string, Uint8Array, or URL without null bytes');
  }
  return String(value);
}

function writeHeapSnapshot(filename = undefined, options = {}) {
  const name = filename === undefined ? defaultSnapshotName('.heapsnapshot') : toPath(filename);
  const [internals, numbers] = snapshotOptions(options);
  native.writeHeapSnapshot(name, internals, numbers);
  return name;
}

let nearLimitIsSet = false;
function setHeapSnapshotNearHeapLimit(limit) {
  validateUint32(limit, 'limit', true);
  if (nearLimitIsSet) return;
  nearLimitIsSet = true;
  native.setHeapSnapshotNearHeapLimit(limit, defaultSnapshotName('.'));
}

/** How many objects `ctor` has made, or what they look like. */
function queryObjects(ctor, options = { __proto__: null }) {
  validateFunction(ctor, 'constructor');
  validateObject(options, 'options');
  const format = options.format || 'count';
  validateOneOf(format, 'options.format', ['count', 'summary']);
  emitExperimentalWarning('v8.queryObjects()');
  if (typeof ctor.prototype !== 'object' || ctor.prototype === null) return format === 'count' ? 0 : [];
  const objects = native.queryObjects(ctor.prototype);
  if (format === 'count') return objects.length;
  const { inspect } = require('util');
  return objects.map((object) => inspect(object, { depth: 0 }));
}

function isStringOneByteRepresentation(content) {
  validateString(content, 'content');
  return native.isOneByte(content);
}

// Coverage is the inspector's: without NODE_V8_COVERAGE both do nothing, as documented.
function takeCoverage() {
  if (process.env.NODE_V8_COVERAGE) require('#inspector/coverage').take();
}

function stopCoverage() {
  if (process.env.NODE_V8_COVERAGE) require('#inspector/coverage').stop();
}

const gcTypes = {
  __proto__: null, 1: 'Scavenge', 2: 'MinorMarkSweep', 4: 'MarkSweepCompact', 8: 'IncrementalMarking',
  16: 'ProcessWeakCallbacks', 31: 'All',
};
const gcHeapNames = [
  'totalHeapSize', 'totalHeapSizeExecutable', 'totalPhysicalSize', 'totalAvailableSize',
  'totalGlobalHandlesSize', 'usedGlobalHandlesSize', 'usedHeapSize', 'heapSizeLimit', 'mallocedMemory',
  'externalMemory', 'peakMallocedMemory',
];
const gcSpaceNames = ['spaceName', 'spaceSize', 'spaceUsedSize', 'spaceAvailableSize', 'physicalSpaceSize'];

/** Tells of each collection between start() and stop(). */
class GCProfiler {
  #profiler = null;
  #startTime;

  start() {
    if (this.#profiler) return;
    this.#profiler = new native.GCProfiler();
    this.#startTime = Date.now();
    this.#profiler.start();
  }

  stop() {
    if (!this.#profiler) return undefined;
    const records = this.#profiler.stop();
    this.#profiler = null;
    const heap = ([numbers, spaces]) => ({
      heapStatistics: named(gcHeapNames, numbers),
      heapSpaceStatistics: spaces.map((row) => named(gcSpaceNames, row)),
    });
    return {
      version: 1,
      startTime: this.#startTime,
      statistics: records.map(([type, cost, before, after]) => ({
        gcType: gcTypes[type] ?? 'Unknown',
        beforeGC: heap(before),
        cost,
        afterGC: heap(after),
      })),
      endTime: Date.now(),
    };
  }
}

class SyncCPUProfileHandle {
  #id;
  #stopped = false;

  constructor(id) {
    this.#id = id;
  }

  /** @returns {string | undefined} the profile as JSON */
  stop() {
    if (this.#stopped) return undefined;
    this.#stopped = true;
    return native.stopCpuProfile(this.#id);
  }

  [Symbol.dispose]() {
    this.stop();
  }
}

function startCpuProfile() {
  const id = native.startCpuProfile();
  if (id < 0) {
    const { codes: { ERR_CPU_PROFILE_TOO_MANY } } = require('#internal/errors');
    throw new ERR_CPU_PROFILE_TOO_MANY();
  }
  return new SyncCPUProfileHandle(id);
}

// User-land snapshots are not built by this runtime.
function notBuilding() {
  throw new ERR_NOT_BUILDING_SNAPSHOT();
}
const startupSnapshot = {
  addDeserializeCallback(callback, data) {
    notBuilding(callback, data);
  },
  addSerializeCallback(callback, data) {
    notBuilding(callback, data);
  },
  setDeserializeMainFunction(callback, data) {
    notBuilding(callback, data);
  },
  isBuildingSnapshot() {
    return false;
  },
};

module.exports = {
  cachedDataVersionTag,
  getHeapSnapshot,
  getHeapStatistics,
  getHeapSpaceStatistics,
  getHeapCodeStatistics,
  getCppHeapStatistics,
  setFlagsFromString,
  Serializer: serdes.Serializer,
  Deserializer: serdes.Deserializer,
  DefaultSerializer: serdes.DefaultSerializer,
  DefaultDeserializer: serdes.DefaultDeserializer,
  deserialize: serdes.deserialize,
  takeCoverage,
  stopCoverage,
  serialize: serdes.serialize,
  writeHeapSnapshot,
  promiseHooks: require('#async_hooks/promise_hooks'),
  queryObjects,
  startupSnapshot,
  setHeapSnapshotNearHeapLimit,
  GCProfiler,
  isStringOneByteRepresentation,
  startCpuProfile,
};

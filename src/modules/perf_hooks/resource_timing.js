'use strict';

// PerformanceResourceTiming: how long a fetch took, part by part.

const {
  codes: { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS },
} = require('#internal/errors');
const { PerformanceEntry, kInternal } = require('#perf_hooks/entry');
const { kEnumerableProperty } = require('#internal/util');

class PerformanceResourceTiming extends PerformanceEntry {
  #state;

  constructor(key = undefined, state = undefined) {
    if (key !== kInternal) throw new ERR_ILLEGAL_CONSTRUCTOR();
    const { timingInfo } = state;
    const { startTime, endTime } = timingInfo;
    super(kInternal, state.requestedUrl, 'resource', startTime, endTime - startTime);
    this.#state = state;
  }

  static stateOf(entry) {
    if (typeof entry !== 'object' || entry === null || !(#state in entry)) {
      throw new ERR_INVALID_THIS('PerformanceResourceTiming');
    }
    return entry.#state;
  }

  toJSON() {
    const json = {
      name: this.name,
      entryType: this.entryType,
      startTime: this.startTime,
      duration: this.duration,
    };
    for (const key of shownKeys) json[key] = this[key];
    return json;
  }
}

const { stateOf } = PerformanceResourceTiming;
delete PerformanceResourceTiming.stateOf;

const time = (key) => (state) => state.timingInfo[key];
const connection = (key) => (state) => state.timingInfo.finalConnectionTimingInfo?.[key];
const kHeaderSize = 300; // what the specification lets headers count for

const getters = {
  initiatorType: (state) => state.initiatorType,
  workerStart: time('finalServiceWorkerStartTime'),
  redirectStart: time('redirectStartTime'),
  redirectEnd: time('redirectEndTime'),
  fetchStart: time('postRedirectStartTime'),
  domainLookupStart: connection('domainLookupStartTime'),
  domainLookupEnd: connection('domainLookupEndTime'),
  connectStart: connection('connectionStartTime'),
  connectEnd: connection('connectionEndTime'),
  secureConnectionStart: connection('secureConnectionStartTime'),
  nextHopProtocol: connection('ALPNNegotiatedProtocol'),
  requestStart: time('finalNetworkRequestStartTime'),
  responseStart: time('finalNetworkResponseStartTime'),
  responseEnd: time('endTime'),
  encodedBodySize: time('encodedBodySize'),
  decodedBodySize: time('decodedBodySize'),
  transferSize(state) {
    if (state.cacheMode === 'local') return 0;
    if (state.cacheMode === 'validated') return kHeaderSize;
    return state.timingInfo.encodedBodySize + kHeaderSize;
  },
  deliveryType: (state) => state.deliveryType,
  responseStatus: (state) => state.responseStatus,
};

for (const [name, read] of Object.entries(getters)) {
  Object.defineProperty(PerformanceResourceTiming.prototype, name, {
    __proto__: null,
    enumerable: true,
    configurable: true,
    get() {
      return read(stateOf(this));
    },
  });
}
for (const name of ['name', 'startTime', 'duration']) {
  Object.defineProperty(PerformanceResourceTiming.prototype, name, {
    __proto__: null, ...Object.getOwnPropertyDescriptor(PerformanceEntry.prototype, name), enumerable: false,
  });
}
Object.defineProperties(PerformanceResourceTiming.prototype, {
  toJSON: kEnumerableProperty,
  [Symbol.toStringTag]: { __proto__: null, configurable: true, value: 'PerformanceResourceTiming' },
});

const shownKeys = [
  'initiatorType', 'nextHopProtocol', 'workerStart', 'redirectStart', 'redirectEnd', 'fetchStart',
  'domainLookupStart', 'domainLookupEnd', 'connectStart', 'connectEnd', 'secureConnectionStart',
  'requestStart', 'responseStart', 'responseEnd', 'transferSize', 'encodedBodySize', 'decodedBodySize',
  'deliveryType', 'responseStatus',
];

/** What fetch calls when it is done (Fetch, "mark resource timing"). */
function markResourceTiming(
  timingInfo, requestedUrl, initiatorType, global, cacheMode, bodyInfo, responseStatus, deliveryType = '') {
  const entry = new PerformanceResourceTiming(kInternal, {
    timingInfo, requestedUrl, initiatorType, cacheMode, bodyInfo, responseStatus, deliveryType,
  });
  require('#perf_hooks/timeline').keepResource(entry);
  return entry;
}
Object.defineProperty(markResourceTiming, 'length', { __proto__: null, value: 7, configurable: true });

module.exports = { PerformanceResourceTiming, markResourceTiming };

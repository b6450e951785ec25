// The native half of node:perf_hooks: the clock, histograms, the delay of the event loop, its use, and
// garbage collections.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <type_traits>

#include "base/clock.h"
#include "bridge/module.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "modules/perf_hooks/histogram.h"
#include "modules/perf_hooks/perf_hooks.h"

namespace gyre::modules {

namespace {

/// When the process began: the origin of all threads' times.
const uint64_t process_start_ns = base::MonotonicNanos();
const uint64_t process_start_wall_ns = base::WallNanos();

uint64_t v8_start_ns = 0;

constexpr size_t kMilestones = static_cast<size_t>(Milestone::kCount);

struct PerformanceState {
  explicit PerformanceState(Realm& realm) : isolate(realm.isolate()) {}
  ~PerformanceState();
  v8::Isolate* isolate;
  uint64_t milestones_ns[kMilestones] = {};
  Realm* observing = nullptr;
  v8::Global<v8::Function> on_gc;
  uint64_t gc_start_ns = 0;
};

double Now(Js&) {
  return static_cast<double>(base::MonotonicNanos() - process_start_ns) / 1e6;
}

/// The same from optimised code: every Event asks for the time.
double FastNow(v8::Local<v8::Object>, v8::FastApiCallbackOptions& options) {
  const PerformanceState& state = Realm::From(options.isolate).Slot<PerformanceState>();
  return static_cast<double>(base::MonotonicNanos() - process_start_ns) / 1e6;
}

double TimeOrigin(Js&) { return static_cast<double>(process_start_ns) / 1e6; }

double TimeOriginTimestamp(Js&) {
  return static_cast<double>(process_start_wall_ns / 1000) / 1e3;
}

/// Milliseconds that the loop has spent waiting for events.
double LoopIdleTime(Js& js) {
  return js.realm.has_loop() ? static_cast<double>(js.realm.loop().metrics().idle_ns) / 1e6 : 0;
}

v8::Local<v8::Value> LoopMetrics(Js& js) {
  loop::LoopMetrics metrics = js.realm.loop().metrics();
  v8::Local<v8::Value> values[] = {js.Num(static_cast<double>(metrics.loop_count)),
                                   js.Num(static_cast<double>(metrics.events)),
                                   js.Num(static_cast<double>(metrics.events_waiting))};
  return v8::Array::New(js.isolate, values, 3);
}

/// [nodeStart, v8Start, environment, bootstrapComplete, loopStart, loopExit]; -1 for what has not come yet.
v8::Local<v8::Value> Milestones(Js& js) {
  auto& state = js.realm.Slot<PerformanceState>();
  // The origin is when the loader started us; the first instruction of ours came a moment later.
  constexpr double kLoaderMs = 1e-3;
  double v8_start = std::max(kLoaderMs * 2, static_cast<double>(v8_start_ns - process_start_ns) / 1e6);
  v8::LocalVector<v8::Value> values(js.isolate);
  values.push_back(js.Num(kLoaderMs));
  values.push_back(js.Num(v8_start));
  for (uint64_t at : state.milestones_ns) {
    values.push_back(js.Num(at == 0 ? -1 : static_cast<double>(at - process_start_ns) / 1e6));
  }
  return v8::Array::New(js.isolate, values.data(), values.size());
}

// --- garbage collections ---

void BeforeGc(v8::Isolate*, v8::GCType, v8::GCCallbackFlags, void* data) {
  static_cast<PerformanceState*>(data)->gc_start_ns = base::MonotonicNanos();
}

/// The collection itself must not run JavaScript: the observer hears of it from the loop.
void AfterGc(v8::Isolate*, v8::GCType type, v8::GCCallbackFlags flags, void* data) {
  auto* state = static_cast<PerformanceState*>(data);
  if (state->observing == nullptr || !state->observing->has_loop()) return;
  Realm* realm = state->observing;
  double start = static_cast<double>(state->gc_start_ns - process_start_ns) / 1e6;
  double duration = static_cast<double>(base::MonotonicNanos() - state->gc_start_ns) / 1e6;
  realm->loop().Post([realm, start, duration, type, flags] {
    auto& now = realm->Slot<PerformanceState>();
    if (now.observing == nullptr || realm->terminating) return;
    bridge::JsScope scope(*realm);
    Js& js = scope.js();
    v8::Local<v8::Value> argv[] = {js.Num(start), js.Num(duration), js.Int(type), js.Int(flags)};
    bridge::Call(js, now.on_gc.Get(js.isolate), js.Undefined(), 4, argv);
  });
}

void StopGcTracking(PerformanceState& state) {
  if (state.observing == nullptr) return;
  state.observing = nullptr;
  state.isolate->RemoveGCPrologueCallback(&BeforeGc, &state);
  state.isolate->RemoveGCEpilogueCallback(&AfterGc, &state);
}

PerformanceState::~PerformanceState() { StopGcTracking(*this); }

/// observeGc(fn): fn(start, duration, kind, flags) after each collection. observeGc(undefined): no more.
void ObserveGc(Js& js, v8::Local<v8::Value> listener) {
  auto& state = js.realm.Slot<PerformanceState>();
  StopGcTracking(state);
  if (!listener->IsFunction()) return;
  state.on_gc.Reset(js.isolate, listener.As<v8::Function>());
  state.observing = &js.realm;
  js.isolate->AddGCPrologueCallback(&BeforeGc, &state);
  js.isolate->AddGCEpilogueCallback(&AfterGc, &state);
}

// --- histograms ---

/// A histogram that threads share: a clone sent in a message shows and records into the same one.
struct SharedHistogram {
  SharedHistogram(int64_t lowest, int64_t highest, int figures) : histogram(lowest, highest, figures) {}
  std::mutex lock;
  Histogram histogram;
};

/// Histograms on their way to another thread, by a number that travels in the message.
struct HistogramsInTransit {
  std::mutex lock;
  std::map<uint64_t, std::shared_ptr<SharedHistogram>> waiting;
  uint64_t last = 0;
};

HistogramsInTransit& InTransit() {
  static auto* transit = new HistogramsInTransit;  // threads may outlive static objects
  return *transit;
}

class HistogramWrap : public Wrap {
 public:
  static const NativeClass kClass;

  static void New(const Info& info) {
    Js js(info);
    if (!info.IsConstructCall()) return js.ThrowTypeError("Class constructor cannot be invoked without 'new'");
    double lowest = info[0]->NumberValue(js.context).FromMaybe(1);
    double highest = info[1]->NumberValue(js.context).FromMaybe(9007199254740991.0);
    int figures = info[2]->Int32Value(js.context).FromMaybe(3);
    // A double above 2^63 would not convert; everything from there on is one limit.
    auto limit = [](double value) { return value >= 9.2e18 ? INT64_MAX : static_cast<int64_t>(value); };
    if (info[0]->IsString()) return Adopt(js, info);
    auto shared = std::make_shared<SharedHistogram>(limit(lowest), limit(highest), figures);
    new HistogramWrap(js.realm, info.This(), &kClass, std::move(shared));
  }

  HistogramWrap(Realm& realm, v8::Local<v8::Object> object, const NativeClass* tag,
                std::shared_ptr<SharedHistogram> shared)
      : Wrap(realm, object, tag), shared_(std::move(shared)) {}

  /// Calls `use` with the histogram while no other thread does.
  template <typename Use>
  std::invoke_result_t<Use, Histogram&> Locked(Use use) {
    std::lock_guard guard(shared_->lock);
    return use(shared_->histogram);
  }

  bool Record(Js&, double value) {
    return Locked([&](Histogram& it) { return it.Record(static_cast<int64_t>(value)); });
  }
  double RecordDelta(Js&) {
    return Locked([](Histogram& it) { return static_cast<double>(it.RecordDelta(base::MonotonicNanos())); });
  }
  void Reset(Js&) {
    Locked([](Histogram& it) { return it.Reset(); });
  }
  void Add(Js&, v8::Local<v8::Value> other) {
    auto* wrap = Wrap::From<HistogramWrap>(other);
    if (wrap == nullptr) return;
    // A copy, so that no two locks are ever held.
    Histogram copy = wrap->Locked([](Histogram& it) { return it; });
    Locked([&](Histogram& it) { return it.Add(copy); });
  }

  double Mean(Js&) {
    return Locked([](Histogram& it) { return it.Mean(); });
  }
  double Stddev(Js&) {
    return Locked([](Histogram& it) { return it.StandardDeviation(); });
  }

  // The numbers as BigInt, from which the JavaScript half makes both faces.
  v8::Local<v8::Value> Count(Js& js) {
    return BigInt(js, Locked([](Histogram& it) { return it.count(); }));
  }
  v8::Local<v8::Value> Exceeds(Js& js) {
    return BigInt(js, Locked([](Histogram& it) { return it.exceeds(); }));
  }
  v8::Local<v8::Value> Min(Js& js) {
    return BigInt(js, static_cast<uint64_t>(Locked([](Histogram& it) { return it.Min(); })));
  }
  v8::Local<v8::Value> Max(Js& js) {
    return BigInt(js, static_cast<uint64_t>(Locked([](Histogram& it) { return it.Max(); })));
  }
  v8::Local<v8::Value> Percentile(Js& js, double percentile) {
    return BigInt(js, static_cast<uint64_t>(Locked([&](Histogram& it) { return it.Percentile(percentile); })));
  }

  /// The number under which `adopt` finds this histogram, once and on any thread.
  double Share(Js&) {
    HistogramsInTransit& transit = InTransit();
    std::lock_guard guard(transit.lock);
    transit.waiting[++transit.last] = shared_;
    return static_cast<double>(transit.last);
  }

  /// [percentile, value, ...]
  v8::Local<v8::Value> Percentiles(Js& js) {
    Histogram copy = Locked([](Histogram& it) { return it; });
    v8::LocalVector<v8::Value> list(js.isolate);
    copy.ForEachPercentile([&](double percentile, int64_t value) {
      list.push_back(js.Num(percentile));
      list.push_back(BigInt(js, static_cast<uint64_t>(value)));
    });
    return v8::Array::New(js.isolate, list.data(), list.size());
  }

 private:
  /// new Histogram(String(number that share() gave))
  static void Adopt(Js& js, const Info& info) {
    uint64_t number = strtoull(js.Utf8(info[0]).c_str(), nullptr, 10);
    HistogramsInTransit& transit = InTransit();
    std::shared_ptr<SharedHistogram> shared;
    {
      std::lock_guard guard(transit.lock);
      auto found = transit.waiting.find(number);
      if (found == transit.waiting.end()) return js.ThrowError("This message was received before");
      shared = std::move(found->second);
      transit.waiting.erase(found);
    }
    new HistogramWrap(js.realm, info.This(), &kClass, std::move(shared));
  }

  static v8::Local<v8::Value> BigInt(Js& js, uint64_t value) {
    return v8::BigInt::NewFromUnsigned(js.isolate, value);
  }

  std::shared_ptr<SharedHistogram> shared_;
};

constexpr NativeFunction kHistogramMethods[] = {
    Method<&HistogramWrap::Record>("record"),     Method<&HistogramWrap::RecordDelta>("recordDelta"),
    Method<&HistogramWrap::Reset>("reset"),       Method<&HistogramWrap::Add>("add"),
    Method<&HistogramWrap::Mean>("mean"),         Method<&HistogramWrap::Stddev>("stddev"),
    Method<&HistogramWrap::Count>("count"),       Method<&HistogramWrap::Exceeds>("exceeds"),
    Method<&HistogramWrap::Min>("min"),           Method<&HistogramWrap::Max>("max"),
    Method<&HistogramWrap::Percentile>("percentile"),
    Method<&HistogramWrap::Percentiles>("percentiles"),
    Method<&HistogramWrap::Share>("share"),
};

/// A histogram of how late a timer of `resolution` milliseconds fires: how long the loop was held up.
class LoopDelayWrap final : public HistogramWrap {
 public:
  static const NativeClass kClass;

  static void New(const Info& info) {
    Js js(info);
    if (!info.IsConstructCall()) return js.ThrowTypeError("Class constructor cannot be invoked without 'new'");
    int resolution = info[0]->Int32Value(js.context).FromMaybe(10);
    new LoopDelayWrap(js.realm, info.This(), resolution);
  }

  LoopDelayWrap(Realm& realm, v8::Local<v8::Object> object, int resolution_ms)
      : HistogramWrap(realm, object, &kClass, std::make_shared<SharedHistogram>(1, kHourNs, 3)),
        resolution_ms_(resolution_ms) {}

  void Start(Js& js, bool reset) {
    if (reset) Reset(js);
    if (timer_ == nullptr) {
      timer_ = loop::TimerHandle::Create(js.realm.loop(), [this] {
        Locked([](Histogram& it) { return it.RecordDelta(base::MonotonicNanos()); });
      });
      timer_->Unref();
    }
    auto every = static_cast<uint64_t>(resolution_ms_);
    timer_->Start(every, every);
  }

  void Stop(Js&) { timer_.reset(); }

 private:
  static constexpr int64_t kHourNs = 3'600'000'000'000;
  int resolution_ms_;
  loop::HandlePtr<loop::TimerHandle> timer_;
};

constexpr NativeFunction kLoopDelayMethods[] = {
    Method<&LoopDelayWrap::Start>("start"),
    Method<&LoopDelayWrap::Stop>("stop"),
};

constexpr NativeFunction kFunctions[] = {
    FastFn<&FastNow>("now", &engine::internal::Thunk<&Now>),
    Fn<&TimeOrigin>("timeOrigin"),
    Fn<&TimeOriginTimestamp>("timeOriginTimestamp"),
    Fn<&LoopIdleTime>("loopIdleTime"),
    Fn<&LoopMetrics>("loopMetrics"),
    Fn<&Milestones>("milestones"),
    Fn<&ObserveGc>("observeGc"),
};

}  // namespace

void MarkV8Start() { v8_start_ns = base::MonotonicNanos(); }

void MarkMilestone(Realm& realm, Milestone milestone) {
  uint64_t& at = realm.Slot<PerformanceState>().milestones_ns[static_cast<size_t>(milestone)];
  if (at == 0) at = base::MonotonicNanos();
}

const NativeClass HistogramWrap::kClass = {
    .name = "Histogram", .construct = &HistogramWrap::New, .methods = kHistogramMethods};
const NativeClass LoopDelayWrap::kClass = {.name = "LoopDelay",
                                           .construct = &LoopDelayWrap::New,
                                           .methods = kLoopDelayMethods,
                                           .parent = &HistogramWrap::kClass};

namespace {
constexpr const NativeClass* kClasses[] = {&HistogramWrap::kClass, &LoopDelayWrap::kClass};
}  // namespace

extern const NativeModule kPerfHooksModule;
const NativeModule kPerfHooksModule = {.name = "performance", .functions = kFunctions, .classes = kClasses};

}  // namespace gyre::modules

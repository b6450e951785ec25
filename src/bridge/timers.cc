#include "bridge/timers.h"

#include <cmath>

#include "bridge/js_scope.h"
#include "bridge/task_queue.h"
#include "engine/convert.h"
#include "loop/loop.h"

namespace gyre::bridge {

namespace {

enum ImmediateField : uint8_t { kCount, kRefCount, kHasOutstanding, kImmediateFieldCount };

struct TimersState {
  explicit TimersState(Realm& realm)
      : immediate_info(realm.SharedField<uint32_t>("immediateInfo", kImmediateFieldCount)),
        timer_info(realm.SharedField<int32_t>("timerInfo", 1)) {
    if (realm.has_loop()) base_ms = realm.loop().now();
  }
  uint32_t* immediate_info;
  int32_t* timer_info;  // the number of timers that hold the loop open
  uint64_t base_ms = 0;  // timers count from the realm's start
};

double Now(Realm& realm) {
  return static_cast<double>(realm.loop().now() - realm.Slot<TimersState>().base_ms);
}

double UpdateNow(Realm& realm) {
  realm.loop().UpdateTime();
  return Now(realm);
}

void RunTimers(Realm& realm) {
  JsScope scope(realm);
  Js& js = scope.js();
  v8::Local<v8::Function> process = realm.hook_function(Hook::kProcessTimers);
  if (process.IsEmpty()) return;
  v8::Local<v8::Value> result;
  // An exception in one timer's callback must not lose the others: they go on, before any tick, as on Node.
  v8::Local<v8::Value> now = js.Num(Now(realm));
  while (!Call(js, process, js.Undefined(), 1, &now).ToLocal(&result)) {
    if (realm.terminating || js.isolate->IsExecutionTerminating()) return;
  }
  if (realm.terminating) return;
  double expiry = result->NumberValue(js.context).FromMaybe(0);
  if (expiry == 0) return;
  double wait = std::fabs(expiry) - UpdateNow(realm);
  realm.loop().ScheduleJsTimer(wait > 1 ? static_cast<uint64_t>(wait) : 1);
}

void RunImmediates(Realm& realm) {
  TimersState& state = realm.Slot<TimersState>();
  if (realm.terminating) return;
  if (HasDestroyed(realm)) {
    JsScope scope(realm);
    TellDestroyed(scope.js());
  }
  if (state.immediate_info[kCount] == 0 && state.immediate_info[kHasOutstanding] == 0) return;
  JsScope scope(realm);
  v8::Local<v8::Function> process = realm.hook_function(Hook::kProcessImmediate);
  if (process.IsEmpty()) return;
  do {
    if (!Call(scope.js(), process, scope.js().Undefined(), 0, nullptr).IsEmpty()) break;
  } while (state.immediate_info[kHasOutstanding] != 0 && !realm.terminating);
}

void SetupTimers(Js& js, v8::Local<v8::Function> process_immediate, v8::Local<v8::Function> process_timers) {
  js.realm.SetHook(Hook::kProcessImmediate, process_immediate);
  js.realm.SetHook(Hook::kProcessTimers, process_timers);
}

void ScheduleTimer(Js& js, double delay_ms) {
  if (js.realm.has_loop()) js.realm.loop().ScheduleJsTimer(delay_ms > 1 ? static_cast<uint64_t>(delay_ms) : 1);
}

double GetLibuvNow(Js& js) { return js.realm.has_loop() ? UpdateNow(js.realm) : 0; }

void Init(Js& js, v8::Local<v8::Object> target) {
  js.Set(target, "immediateInfo", js.realm.SharedArray<v8::Uint32Array>("immediateInfo", kImmediateFieldCount));
  js.Set(target, "timerInfo", js.realm.SharedArray<v8::Int32Array>("timerInfo", 1));
}

constexpr NativeFunction kFunctions[] = {
    Fn<&SetupTimers>("setupTimers"),
    Fn<&ScheduleTimer>("scheduleTimer"),
    Fn<&GetLibuvNow>("getLibuvNow"),
};

}  // namespace

void AttachTimers(Realm& realm) {
  realm.Slot<TimersState>();
  realm.loop().SetJsTimerHook([&realm] { RunTimers(realm); });
  realm.loop().SetCheckHook([&realm] { RunImmediates(realm); });
}

void SyncTimers(Realm& realm) {
  if (!realm.has_loop()) return;
  TimersState& state = realm.Slot<TimersState>();
  loop::Loop& loop = realm.loop();
  const uint32_t* info = state.immediate_info;
  if (info[kRefCount] != 0 || HasDestroyed(realm)) {
    loop.SetImmediates(loop::Immediates::kRef);
  } else {
    loop.SetImmediates(info[kCount] != 0 ? loop::Immediates::kUnref : loop::Immediates::kNone);
  }
  if (*state.timer_info > 0) {
    loop.RefJsTimer();
  } else {
    loop.UnrefJsTimer();
  }
}

const NativeModule kTimersModule = {.name = "timers", .functions = kFunctions, .init = &Init};

}  // namespace gyre::bridge

// The native half of the nextTick queue, the microtask queue and the tracking of promise rejections.
#ifndef GYRE_BRIDGE_TASK_QUEUE_H_
#define GYRE_BRIDGE_TASK_QUEUE_H_

#include "engine/realm.h"

namespace gyre::bridge {

enum TickField : uint8_t { kHasTickScheduled, kHasRejectionToWarn, kTickFieldCount };

/// What JavaScript and the scope share: a byte each, in one Uint8Array.
struct TaskQueueState {
  explicit TaskQueueState(Realm& realm) : tick_info(realm.SharedField<uint8_t>("tickInfo", kTickFieldCount)) {}
  const uint8_t* tick_info;
};

/// The async ids of what runs now, and the counter; which kinds of async_hooks listen. Both are shared with
/// src/modules/async_hooks/hooks.js, which explains them.
enum AsyncField : uint8_t { kExecutionAsyncId, kTriggerAsyncId, kAsyncIdCounter, kDefaultTrigger, kAsyncFieldCount };
enum AsyncCount : uint8_t {
  kInitHooks, kBeforeHooks, kAfterHooks, kDestroyHooks, kPromiseResolveHooks, kAllHooks, kPendingDestroys,
  kAsyncCountCount
};
struct AsyncIds {
  explicit AsyncIds(Realm& realm)
      : fields(realm.SharedField<double>("asyncFields", kAsyncFieldCount)),
        counts(realm.SharedField<uint32_t>("asyncCounts", kAsyncCountCount)) {}
  double* fields;
  const uint32_t* counts;
};

/// Tells async_hooks what has ended or was collected since the last time (destroy). Before immediates run, in a JsScope.
void TellDestroyed(Js& js);
bool HasDestroyed(Realm& realm);
void QueueDestroyed(Realm& realm, double async_id);

/// The isolate's PromiseRejectCallback: hands the event to Hook::kPromiseReject.
void OnPromiseReject(v8::PromiseRejectMessage message);

extern const NativeModule kTaskQueueModule;
extern const NativeModule kAsyncContextModule;

}  // namespace gyre::bridge

#endif  // GYRE_BRIDGE_TASK_QUEUE_H_

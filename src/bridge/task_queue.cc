#include "bridge/task_queue.h"

#include <memory>
#include <unordered_map>
#include <vector>

#include "bridge/js_scope.h"
#include "bridge/module.h"

namespace gyre::bridge {

void OnPromiseReject(v8::PromiseRejectMessage message) {
  v8::Isolate* isolate = message.GetPromise()->GetIsolate();
  v8::HandleScope handles(isolate);
  if (!isolate->InContext()) return;
  Js js(isolate);
  v8::Local<v8::Function> hook = js.realm.hook_function(Hook::kPromiseReject);
  if (hook.IsEmpty() || js.realm.terminating) return;
  v8::Local<v8::Value> value = message.GetValue();
  if (value.IsEmpty()) value = js.Undefined();
  v8::Local<v8::Value> argv[] = {js.Int(message.GetEvent()), message.GetPromise(), value};
  v8::TryCatch caught(isolate);
  if (hook->Call(js.context, js.Undefined(), 3, argv).IsEmpty() && caught.HasCaught() && !caught.HasTerminated()) {
    fprintf(stderr, "Exception in PromiseRejectCallback:\n%s\n", js.Utf8(caught.Exception()).c_str());
  }
}

namespace {

void RunMicrotasks(Js& js) { js.isolate->PerformMicrotaskCheckpoint(); }

void EnqueueMicrotask(Js& js, v8::Local<v8::Function> task) { js.isolate->EnqueueMicrotask(task); }

void SetTickCallback(Js& js, v8::Local<v8::Function> run) { js.realm.SetHook(Hook::kTickCallback, run); }

void SetPromiseRejectCallback(Js& js, v8::Local<v8::Function> track) { js.realm.SetHook(Hook::kPromiseReject, track); }

void TriggerUncaughtException(Js& js, v8::Local<v8::Value> error, bool from_promise) {
  v8::Local<v8::Function> report = js.realm.hook_function(Hook::kUncaught);
  if (report.IsEmpty()) return ReportUncaught(js, error, v8::Exception::CreateMessage(js.isolate, error));
  v8::Local<v8::Value> argv[] = {error, js.Bool(from_promise),
                                 js.Str(ArrowOf(js, error, v8::Exception::CreateMessage(js.isolate, error)))};
  (void)report->Call(js.context, js.Undefined(), 3, argv);
}

/// V8's text of a value, made without running any of the value's own code.
v8::Local<v8::Value> DetailString(Js& js, v8::Local<v8::Value> value) {
  v8::Local<v8::String> text;
  if (!value->ToDetailString(js.context).ToLocal(&text)) return js.Str("");
  return text;
}

void Init(Js& js, v8::Local<v8::Object> target) {
  js.Set(target, "tickInfo", js.realm.SharedArray<v8::Uint8Array>("tickInfo", kTickFieldCount));
  v8::Local<v8::Object> events = js.Object();
  js.Set(events, "kPromiseRejectWithNoHandler", js.Int(v8::kPromiseRejectWithNoHandler));
  js.Set(events, "kPromiseHandlerAddedAfterReject", js.Int(v8::kPromiseHandlerAddedAfterReject));
  js.Set(events, "kPromiseResolveAfterResolved", js.Int(v8::kPromiseResolveAfterResolved));
  js.Set(events, "kPromiseRejectAfterResolved", js.Int(v8::kPromiseRejectAfterResolved));
  js.Set(target, "promiseRejectEvents", events);
}

constexpr NativeFunction kFunctions[] = {
    Fn<&RunMicrotasks>("runMicrotasks"),
    Fn<&EnqueueMicrotask>("enqueueMicrotask"),
    Fn<&SetTickCallback>("setTickCallback"),
    Fn<&SetPromiseRejectCallback>("setPromiseRejectCallback"),
    Fn<&TriggerUncaughtException>("triggerUncaughtException"),
    Fn<&DetailString>("detailString"),
};

v8::Local<v8::Value> GetContext(Js& js) { return js.isolate->GetContinuationPreservedEmbedderData(); }
void SetContext(Js& js, v8::Local<v8::Value> value) { js.isolate->SetContinuationPreservedEmbedderData(value); }

/// setPromiseHooks(init, before, after, settled): each a function or undefined.
void SetPromiseHooks(const Info& info) {
  Js js(info);
  auto function = [&](int index) {
    return info[index]->IsFunction() ? info[index].As<v8::Function>() : v8::Local<v8::Function>();
  };
  js.context->SetPromiseHooks(function(0), function(1), function(2), function(3));
}

/// Objects whose collection async_hooks wants to hear of.
struct CollectionTracker {
  explicit CollectionTracker(Realm& owner) : realm(owner) {}
  Realm& realm;
  bool microtask_queued = false;
  struct Entry {
    CollectionTracker& owner;
    v8::Global<v8::Object> object;
    v8::Global<v8::Value> state;
    double id;
  };
  std::unordered_map<Entry*, std::unique_ptr<Entry>> alive;
  std::vector<std::unique_ptr<Entry>> collected;
  std::vector<double> destroyed;  // native operations that are over
  v8::Global<v8::Function> listener;
};

/// So many are told of by a microtask: a program may never leave its microtasks.
constexpr size_t kManyCollected = 16384;

void QueueTelling(v8::Isolate* isolate) {
  isolate->EnqueueMicrotask(
      [](void* data) {
        auto* owner = static_cast<v8::Isolate*>(data);
        Realm& realm = Realm::From(owner);
        realm.Slot<CollectionTracker>().microtask_queued = false;
        if (realm.terminating) return;
        v8::HandleScope handles(owner);
        v8::Context::Scope scope(realm.context());
        Js js(realm);
        TellDestroyed(js);
      },
      isolate);
}

/// trackCollection(object, id, state, listener)
void TrackCollection(Js& js, v8::Local<v8::Object> object, double id, v8::Local<v8::Value> state,
                     v8::Local<v8::Function> listener) {
  auto& tracker = js.realm.Slot<CollectionTracker>();
  if (tracker.listener.IsEmpty()) tracker.listener.Reset(js.isolate, listener);
  auto entry = std::make_unique<CollectionTracker::Entry>(CollectionTracker::Entry{tracker, {}, {}, id});
  CollectionTracker::Entry* raw = entry.get();
  raw->object.Reset(js.isolate, object);
  raw->state.Reset(js.isolate, state);
  raw->object.SetWeak(
      raw,
      [](const v8::WeakCallbackInfo<CollectionTracker::Entry>& info) {
        // Inside a collection: no JavaScript now.
        CollectionTracker::Entry* dead = info.GetParameter();
        dead->object.Reset();
        CollectionTracker& owner = dead->owner;
        auto found = owner.alive.find(dead);
        owner.collected.push_back(std::move(found->second));
        owner.alive.erase(found);
        if (owner.collected.size() < kManyCollected || owner.microtask_queued) return;
        owner.microtask_queued = true;
        info.SetSecondPassCallback([](const v8::WeakCallbackInfo<CollectionTracker::Entry>& second) {
          QueueTelling(second.GetIsolate());
        });
      },
      v8::WeakCallbackType::kParameter);
  tracker.alive.emplace(raw, std::move(entry));
}

/// setCallbacks({ init, before, after, destroy }): what native operations call once hooks are enabled.
void SetAsyncCallbacks(Js& js, v8::Local<v8::Value> callbacks) { js.realm.SetHook(Hook::kAsyncHooks, callbacks); }

void InitContext(Js& js, v8::Local<v8::Object> target) {
  js.Set(target, "fields", js.realm.SharedArray<v8::Float64Array>("asyncFields", kAsyncFieldCount));
  js.Set(target, "counts", js.realm.SharedArray<v8::Uint32Array>("asyncCounts", kAsyncCountCount));
}

constexpr NativeFunction kContextFunctions[] = {
    Fn<&SetAsyncCallbacks>("setCallbacks"),
    Fn<&TrackCollection>("trackCollection"),
    Fn<&GetContext>("get"),
    Fn<&SetContext>("set"),
    RawFn("setPromiseHooks", &SetPromiseHooks, 4),
};

}  // namespace

void TellDestroyed(Js& js) {
  auto& tracker = js.realm.Slot<CollectionTracker>();
  if (!tracker.collected.empty()) {
    std::vector<std::unique_ptr<CollectionTracker::Entry>> collected = std::move(tracker.collected);
    tracker.collected.clear();
    v8::LocalVector<v8::Value> list(js.isolate);
    for (const auto& entry : collected) {
      list.push_back(js.Num(entry->id));
      list.push_back(entry->state.Get(js.isolate));
    }
    v8::Local<v8::Value> argv[] = {v8::Array::New(js.isolate, list.data(), list.size())};
    (void)Call(js, tracker.listener.Get(js.isolate), js.Undefined(), 1, argv);
  }
  v8::Local<v8::Value> hooks = js.realm.hook(Hook::kAsyncHooks);
  if (!hooks->IsObject()) return;
  for (double id : std::exchange(tracker.destroyed, {})) {
    v8::Local<v8::Value> argv[] = {js.Num(id)};
    (void)CallMethod(js, hooks.As<v8::Object>(), "destroy", 1, argv);
  }
  if (js.realm.Slot<AsyncIds>().counts[kPendingDestroys] == 0) return;
  (void)CallMethod(js, hooks.As<v8::Object>(), "flush", 0, nullptr);
}

void QueueDestroyed(Realm& realm, double async_id) {
  realm.Slot<CollectionTracker>().destroyed.push_back(async_id);
}

bool HasDestroyed(Realm& realm) {
  auto& tracker = realm.Slot<CollectionTracker>();
  return realm.Slot<AsyncIds>().counts[kPendingDestroys] != 0 || !tracker.collected.empty() ||
         !tracker.destroyed.empty();
}

const NativeModule kTaskQueueModule = {.name = "task_queue", .functions = kFunctions, .init = &Init};
const NativeModule kAsyncContextModule = {
    .name = "async_context", .functions = kContextFunctions, .init = &InitContext};

}  // namespace gyre::bridge

#include "runtime/worker_messages.h"

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "loop/async.h"
#include "web/message.h"

namespace gyre::runtime {

namespace {

enum class Outcome : uint8_t { kDelivered, kErrored, kFailed };
constexpr const char* kOutcomes[] = {"delivered", "errored", "failed"};

/// The sender's half: its callback, and what keeps its loop alive until there is an outcome.
struct Waiting {
  v8::Global<v8::Function> callback;
  loop::HandlePtr<loop::AsyncHandle> alive;
  std::shared_ptr<std::atomic<bool>> given_up;
};

/// Those of a realm. They end with it.
struct WaitList {
  explicit WaitList(Realm&) {}
  std::unordered_map<uint32_t, Waiting> all;
  uint32_t next = 0;
};

void Settle(Realm& realm, uint32_t id, Outcome outcome) {
  WaitList& list = realm.Slot<WaitList>();
  auto found = list.all.find(id);
  if (found == list.all.end() || realm.terminating) return;
  bridge::JsScope scope(realm);
  Js& js = scope.js();
  v8::Local<v8::Function> callback = found->second.callback.Get(js.isolate);
  list.all.erase(found);
  v8::Local<v8::Value> argv[] = {js.Name(kOutcomes[static_cast<int>(outcome)])};
  (void)bridge::Call(js, callback, js.Undefined(), 1, argv);
}

/// A message under way. Dropped without having been delivered, it has failed.
struct Delivery {
  std::unique_ptr<web::Message> message;
  uint32_t source_id = 0;
  uint32_t wait_id = 0;
  std::shared_ptr<loop::LoopRemote> source;
  Realm* source_realm = nullptr;  // touched only on its own loop
  std::shared_ptr<std::atomic<bool>> given_up;
  bool answered = false;

  ~Delivery() { Answer(Outcome::kFailed); }

  void Answer(Outcome outcome) {
    if (answered) return;
    answered = true;
    source->Post([realm = source_realm, id = wait_id, outcome] { Settle(*realm, id, outcome); });
  }

  void Deliver(Realm& realm) {
    if (realm.terminating || given_up->load()) return;
    bridge::JsScope scope(realm);
    Js& js = scope.js();
    v8::TryCatch caught(js.isolate);
    v8::Local<v8::Value> value;
    v8::Local<v8::Value> module;
    v8::Local<v8::Value> deliver;
    v8::Local<v8::Value> id[] = {js.Str("#worker_threads/messaging")};
    if (!web::Deserialize(js, *message, nullptr).ToLocal(&value)) return Answer(Outcome::kErrored);
    v8::Local<v8::Function> require = js.realm.hook_function(Hook::kRequireBuiltin);
    if (require.IsEmpty() || !require->Call(js.context, js.Undefined(), 1, id).ToLocal(&module) || !module->IsObject() ||
        !js.Get(module.As<v8::Object>(), "deliver").ToLocal(&deliver) || !deliver->IsFunction()) {
      return;
    }
    v8::Local<v8::Value> argv[] = {value, js.Uint(source_id)};
    v8::Local<v8::Value> result;
    if (!deliver.As<v8::Function>()->Call(js.context, js.Undefined(), 2, argv).ToLocal(&result)) {
      return caught.HasTerminated() ? void() : Answer(Outcome::kErrored);
    }
    Answer(result->IsTrue() ? Outcome::kDelivered : Outcome::kFailed);
  }
};

struct Destination {
  std::shared_ptr<loop::LoopRemote> loop;  // null until it runs
  Realm* realm = nullptr;                  // touched only on that loop
  std::vector<std::unique_ptr<Delivery>> waiting;
};

struct Table {
  std::mutex mutex;
  std::unordered_map<uint32_t, Destination> threads;
};
Table& Threads() {
  static auto* table = new Table;
  return *table;
}

void Send(loop::LoopRemote& loop, Realm* realm, std::unique_ptr<Delivery> delivery) {
  loop.Post([realm, delivery = std::move(delivery)] { delivery->Deliver(*realm); });
}

}  // namespace

void AnnounceThread(uint32_t id) {
  std::lock_guard lock(Threads().mutex);
  Threads().threads.try_emplace(id);
}

void AttachThread(Realm& realm) {
  std::shared_ptr<loop::LoopRemote> loop = realm.loop().remote();
  std::vector<std::unique_ptr<Delivery>> waiting;
  {
    std::lock_guard lock(Threads().mutex);
    Destination& destination = Threads().threads[realm.thread_id];
    destination.loop = loop;
    destination.realm = &realm;
    waiting.swap(destination.waiting);
  }
  for (std::unique_ptr<Delivery>& delivery : waiting) Send(*loop, &realm, std::move(delivery));
}

void ForgetThread(uint32_t id) {
  Destination gone;
  std::lock_guard lock(Threads().mutex);
  auto found = Threads().threads.find(id);
  if (found == Threads().threads.end()) return;
  gone = std::move(found->second);
  Threads().threads.erase(found);
}

void PostToThread(const engine::Info& info) {
  Js js(info);
  if (!info[0]->IsUint32() || !info[3]->IsFunction()) return js.ThrowTypeError("postToThread: bad arguments");
  auto delivery = std::make_unique<Delivery>();
  delivery->answered = true;  // until there is somebody to answer to
  delivery->message = web::Serialize(js, info[1], info[2], nullptr);
  if (delivery->message == nullptr) return;
  WaitList& list = js.realm.Slot<WaitList>();
  uint32_t id = list.next++;
  Waiting& waiting = list.all[id];
  waiting.callback.Reset(js.isolate, info[3].As<v8::Function>());
  waiting.alive = loop::AsyncHandle::Create(js.realm.loop(), [] {});
  waiting.given_up = std::make_shared<std::atomic<bool>>(false);
  delivery->source_id = js.realm.thread_id;
  delivery->wait_id = id;
  delivery->source = js.realm.loop().remote();
  delivery->source_realm = &js.realm;
  delivery->given_up = waiting.given_up;
  delivery->answered = false;
  std::shared_ptr<loop::LoopRemote> loop;
  Realm* realm = nullptr;
  {
    std::lock_guard lock(Threads().mutex);
    auto found = Threads().threads.find(info[0].As<v8::Uint32>()->Value());
    if (found != Threads().threads.end()) {
      loop = found->second.loop;
      realm = found->second.realm;
      if (loop == nullptr) found->second.waiting.push_back(std::move(delivery));
    }
  }
  if (loop != nullptr) Send(*loop, realm, std::move(delivery));
  info.GetReturnValue().Set(id);
}

void GiveUp(Js& js, uint32_t id) {
  WaitList& list = js.realm.Slot<WaitList>();
  auto found = list.all.find(id);
  if (found == list.all.end()) return;
  found->second.given_up->store(true);
  list.all.erase(found);
}

}  // namespace gyre::runtime

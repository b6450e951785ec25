#include "runtime/worker_thread.h"

#include <atomic>

namespace gyre::runtime {

namespace {

/// It goes to the thread on two ways, as an interrupt and as an event; the first to come does it.
struct Errand {
  std::atomic<bool> taken{false};
  base::UniqueFunction<void(Realm&)> work;

  void Run(Realm& realm) {
    if (taken.exchange(true)) return;
    base::UniqueFunction<void(Realm&)> mine = std::move(work);
    work = nullptr;
    mine(realm);
  }
};

void OnInterrupt(v8::Isolate* isolate, void* data) {
  std::unique_ptr<std::shared_ptr<Errand>> errand(static_cast<std::shared_ptr<Errand>*>(data));
  (*errand)->Run(Realm::From(isolate));
}

}  // namespace

bool RunOnWorker(ThreadState& state, base::UniqueFunction<void(Realm&)> work) {
  auto errand = std::make_shared<Errand>();
  errand->work = std::move(work);
  std::lock_guard lock(state.mutex);
  if (state.agent == nullptr || state.agent->terminated()) return false;
  v8::Isolate* isolate = state.agent->isolate();
  isolate->RequestInterrupt(&OnInterrupt, new std::shared_ptr<Errand>(errand));
  state.agent->loop().remote()->Post([errand, isolate] {
    v8::Isolate::Scope isolate_scope(isolate);
    v8::HandleScope handles(isolate);
    Realm& realm = Realm::From(isolate);
    if (!realm.terminating) errand->Run(realm);
  });
  return true;
}

}  // namespace gyre::runtime

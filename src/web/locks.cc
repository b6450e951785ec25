// The native half of navigator.locks (Web Locks API): one table for all threads of the process.
#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "bridge/module.h"
#include "loop/async.h"
#include "loop/loop.h"

namespace gyre::modules {

namespace {

/// What a realm is told of a request of its own.
enum class LockEvent { kGranted, kStolen };

/// Where a realm's events wait. Thread: any. Owner: the realm's state and its requests.
class Mailbox {
 public:
  void Post(uint64_t id, LockEvent event) {
    std::lock_guard lock(mutex_);
    if (sender_ == nullptr) return;
    // A lock that is stolen before its realm has heard of it was never held.
    if (event == LockEvent::kStolen) std::erase(events_, std::pair(id, LockEvent::kGranted));
    events_.push_back({id, event});
    sender_->Send();
  }
  std::vector<std::pair<uint64_t, LockEvent>> Take() {
    std::lock_guard lock(mutex_);
    return std::exchange(events_, {});
  }
  bool empty() {
    std::lock_guard lock(mutex_);
    return events_.empty();
  }
  void Open(std::shared_ptr<loop::AsyncSender> sender) {
    std::lock_guard lock(mutex_);
    sender_ = std::move(sender);
  }
  void Close() { Open(nullptr); }

 private:
  std::mutex mutex_;
  std::shared_ptr<loop::AsyncSender> sender_;
  std::vector<std::pair<uint64_t, LockEvent>> events_;
};

struct Request {
  uint64_t id;
  std::string name;
  bool shared;
  std::string client;
  std::shared_ptr<Mailbox> mailbox;
};

/// Who holds and who waits for what. Thread: any.
class LockTable {
 public:
  static LockTable& Get() {
    static auto* table = new LockTable;
    return *table;
  }

  enum class Policy { kWait, kIfAvailable, kSteal };

  /// The request's number, or 0 if it asked for a lock that is not available.
  uint64_t Ask(Request request, Policy policy) {
    std::lock_guard lock(mutex_);
    Resource& resource = resources_[request.name];
    request.id = ++last_id_;
    uint64_t id = request.id;
    if (policy == Policy::kSteal) {
      for (const Request& holder : resource.held) holder.mailbox->Post(holder.id, LockEvent::kStolen);
      resource.held.clear();
      resource.waiting.push_front(std::move(request));
    } else if (policy == Policy::kIfAvailable && !(resource.waiting.empty() && resource.Admits(request))) {
      return 0;
    } else {
      resource.waiting.push_back(std::move(request));
    }
    resource.Advance();
    return id;
  }

  void Release(const std::string& name, uint64_t id) {
    std::lock_guard lock(mutex_);
    auto found = resources_.find(name);
    if (found == resources_.end()) return;
    std::erase_if(found->second.held, [id](const Request& request) { return request.id == id; });
    Settle(found);
  }

  /// Gives a request up that has not been granted; false if it has.
  bool Withdraw(const std::string& name, uint64_t id) {
    std::lock_guard lock(mutex_);
    auto found = resources_.find(name);
    if (found == resources_.end()) return false;
    bool waited = std::erase_if(found->second.waiting, [id](const Request& request) { return request.id == id; }) > 0;
    Settle(found);
    return waited;
  }

  /// Drops everything of a realm that has ended.
  void Forget(const Mailbox* mailbox) {
    std::lock_guard lock(mutex_);
    auto is_of = [mailbox](const Request& request) { return request.mailbox.get() == mailbox; };
    for (auto it = resources_.begin(); it != resources_.end();) {
      std::erase_if(it->second.held, is_of);
      std::erase_if(it->second.waiting, is_of);
      it = Settle(it);
    }
  }

  /// Calls `visit(request, is_held)` for all, the latest holders first.
  template <typename Visit>
  void ForEach(Visit visit) {
    std::lock_guard lock(mutex_);
    for (const auto& [name, resource] : resources_) {
      for (auto it = resource.held.rbegin(); it != resource.held.rend(); ++it) visit(*it, true);
      for (const Request& request : resource.waiting) visit(request, false);
    }
  }

 private:
  struct Resource {
    std::vector<Request> held;
    std::deque<Request> waiting;

    bool Admits(const Request& request) const { return held.empty() || (request.shared && held.front().shared); }
    void Advance() {
      while (!waiting.empty() && Admits(waiting.front())) {
        held.push_back(std::move(waiting.front()));
        waiting.pop_front();
        held.back().mailbox->Post(held.back().id, LockEvent::kGranted);
      }
    }
  };
  using Resources = std::unordered_map<std::string, Resource>;

  Resources::iterator Settle(Resources::iterator it) {
    it->second.Advance();
    if (it->second.held.empty() && it->second.waiting.empty()) return resources_.erase(it);
    return ++it;
  }

  std::mutex mutex_;
  Resources resources_;
  uint64_t last_id_ = 0;
};

/// A realm's part: it hears of its requests while its loop runs, and keeps the loop alive only for what has come
/// already.
class LocksState {
 public:
  explicit LocksState(Realm& realm) : realm_(realm), mailbox_(std::make_shared<Mailbox>()) {
    async_ = loop::AsyncHandle::Create(realm.loop(), [this] { Deliver(); });
    async_->Unref();
    mailbox_->Open(async_->sender());
  }
  ~LocksState() {
    mailbox_->Close();
    LockTable::Get().Forget(mailbox_.get());
  }

  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }
  void SetListener(Js& js, v8::Local<v8::Function> listener) { listener_.Reset(js.isolate, listener); }
  void KeepAliveForEvents() {
    if (!mailbox_->empty()) async_->Ref();
  }

 private:
  void Deliver() {
    async_->Unref();
    for (auto [id, event] : mailbox_->Take()) {
      if (realm_.terminating) return;
      bridge::JsScope scope(realm_);
      Js& js = scope.js();
      v8::Local<v8::Value> argv[] = {js.Num(static_cast<double>(id)), js.Bool(event == LockEvent::kGranted)};
      (void)bridge::Call(js, listener_.Get(js.isolate), js.Undefined(), 2, argv);
    }
    KeepAliveForEvents();
  }

  Realm& realm_;
  std::shared_ptr<Mailbox> mailbox_;
  loop::HandlePtr<loop::AsyncHandle> async_;
  v8::Global<v8::Function> listener_;
};

/// listen(f): f(id, granted) hears of this realm's requests; not granted means stolen.
void Listen(Js& js, v8::Local<v8::Function> listener) { js.realm.Slot<LocksState>().SetListener(js, listener); }

/// request(name, shared, policy, client): the request's number, 0 if it is not available.
uint64_t AskForLock(Js& js, std::string name, bool shared, uint32_t policy, std::string client) {
  LocksState& state = js.realm.Slot<LocksState>();
  uint64_t id = LockTable::Get().Ask({0, std::move(name), shared, std::move(client), state.mailbox()},
                                     static_cast<LockTable::Policy>(std::min(policy, 2u)));
  state.KeepAliveForEvents();
  return id;
}

void ReleaseLock(Js& js, std::string name, uint64_t id) {
  LockTable::Get().Release(name, id);
  js.realm.Slot<LocksState>().KeepAliveForEvents();
}

bool WithdrawRequest(Js& js, std::string name, uint64_t id) {
  bool waited = LockTable::Get().Withdraw(name, id);
  js.realm.Slot<LocksState>().KeepAliveForEvents();
  return waited;
}

/// query(): [name, shared, client, held] of all, one after another.
void Query(const Info& info) {
  Js js(info);
  std::vector<std::tuple<std::string, bool, std::string, bool>> rows;
  LockTable::Get().ForEach([&](const Request& request, bool held) {
    rows.emplace_back(request.name, request.shared, request.client, held);
  });
  std::vector<v8::Local<v8::Value>> values;
  for (const auto& [name, shared, client, held] : rows) {
    values.insert(values.end(), {js.Str(name), js.Bool(shared), js.Str(client), js.Bool(held)});
  }
  info.GetReturnValue().Set(v8::Array::New(js.isolate, values.data(), values.size()));
}

constexpr NativeFunction kFunctions[] = {
    Fn<&Listen>("listen"),  Fn<&AskForLock>("request"), Fn<&ReleaseLock>("release"), Fn<&WithdrawRequest>("withdraw"),
    RawFn("query", &Query),
};

}  // namespace

extern const NativeModule kLocksModule;
const NativeModule kLocksModule = {.name = "locks", .functions = kFunctions, .classes = {}, .init = nullptr};

}  // namespace gyre::modules

#include "web/message_port.h"

#include <algorithm>
#include <unordered_map>

#include "loop/loop.h"

namespace gyre::web {

// --- PortEnd ---

namespace {

/// The broadcast groups of the process.
struct BroadcastGroups {
  std::mutex mutex;
  std::unordered_map<std::string, std::weak_ptr<PortGroup>> groups;
};

BroadcastGroups& Groups() {
  static auto* groups = new BroadcastGroups;
  return *groups;
}

/// Messages that one wake-up delivers at least, so that a port that answers itself cannot hold the loop for ever.
constexpr size_t kMaxAtOnce = 1000;

}  // namespace

PortEnd::PortEnd(std::shared_ptr<PortGroup> group) : group_(std::move(group)) {
  std::lock_guard lock(group_->mutex);
  group_->ends.push_back(this);
}

PortEnd::~PortEnd() { Close(); }

std::pair<std::shared_ptr<PortEnd>, std::shared_ptr<PortEnd>> PortEnd::CreateChannel() {
  auto group = std::make_shared<PortGroup>();
  auto first = std::make_shared<PortEnd>(group);
  return {std::move(first), std::make_shared<PortEnd>(std::move(group))};
}

std::shared_ptr<PortEnd> PortEnd::Join(const std::string& name) {
  BroadcastGroups& all = Groups();
  std::lock_guard lock(all.mutex);
  std::shared_ptr<PortGroup> group = all.groups[name].lock();
  if (group == nullptr) {
    std::erase_if(all.groups, [](const auto& entry) { return entry.second.expired(); });
    group = std::make_shared<PortGroup>();
    group->name = "broadcast:" + name;
    all.groups[name] = group;
  }
  return std::make_shared<PortEnd>(std::move(group));
}

void PortEnd::Receive(std::unique_ptr<Message> message) {
  queue_.push_back(std::move(message));
  if (sender_ != nullptr) sender_->Send();
}

void PortEnd::Post(std::unique_ptr<Message> message) {
  std::lock_guard lock(group_->mutex);
  PortEnd* last = nullptr;
  for (PortEnd* other : group_->ends) {
    if (other == this) continue;
    if (last != nullptr) last->Receive(message->Copy());
    last = other;
  }
  if (last != nullptr) last->Receive(std::move(message));
}

std::unique_ptr<Message> PortEnd::Take() {
  std::lock_guard lock(group_->mutex);
  if (queue_.empty()) return nullptr;
  std::unique_ptr<Message> message = std::move(queue_.front());
  queue_.pop_front();
  return message;
}

size_t PortEnd::QueueSize() {
  std::lock_guard lock(group_->mutex);
  return queue_.size();
}

bool PortEnd::NextIsClose() {
  std::lock_guard lock(group_->mutex);
  return !queue_.empty() && queue_.front()->is_close;
}

void PortEnd::Attach(std::shared_ptr<loop::AsyncSender> sender) {
  std::lock_guard lock(group_->mutex);
  sender_ = std::move(sender);
  if (!queue_.empty()) sender_->Send();
}

void PortEnd::Detach() {
  std::lock_guard lock(group_->mutex);
  sender_ = nullptr;
}

void PortEnd::Close() {
  // Messages may hold ports: those must not be destroyed with the mutex held.
  std::deque<std::unique_ptr<Message>> dropped;
  std::lock_guard lock(group_->mutex);
  if (closed_) return;
  closed_ = true;
  sender_ = nullptr;
  dropped.swap(queue_);
  std::erase(group_->ends, this);
  if (!group_->name.empty()) return;
  for (PortEnd* other : group_->ends) {
    auto message = std::make_unique<Message>();
    message->is_close = true;
    other->Receive(std::move(message));
  }
}

// --- PortWrap ---

PortWrap::PortWrap(Js& js, v8::Local<v8::Object> object, std::shared_ptr<PortEnd> end)
    : Wrap(js.realm, object, &kClass), end_(std::move(end)) {
  async_ = loop::AsyncHandle::Create(js.realm.loop(), [this] { OnWake(); });
  async_->Unref();
  end_->Attach(async_->sender());
  Pin();
}

PortWrap::~PortWrap() {
  if (end_ != nullptr) end_->Close();
}

v8::MaybeLocal<v8::Object> PortWrap::Create(Js& js, std::shared_ptr<PortEnd> end, v8::Local<v8::Function> maker) {
  v8::Local<v8::Object> object;
  if (!NewInstance(js, kClass).ToLocal(&object)) return {};
  auto* port = new PortWrap(js, object, std::move(end));
  if (!maker.IsEmpty()) port->maker_.Reset(js.isolate, maker);
  return object;
}

namespace {
v8::Local<v8::Context> ContextOf(Js& js, v8::Local<v8::Function> maker) {
  v8::Local<v8::Context> context;
  if (!maker.IsEmpty() && maker->GetCreationContext(js.isolate).ToLocal(&context)) return context;
  return js.context;
}
}  // namespace

void PortWrap::MoveTo(Js& js, const Info& info) {
  if (end_ == nullptr || !info[0]->IsFunction()) return;
  v8::Local<v8::Function> maker = info[0].As<v8::Function>();
  v8::Context::Scope inside(ContextOf(js, maker));
  Js there(js.isolate);
  std::shared_ptr<PortEnd> end = Release();
  v8::Local<v8::Object> handle;
  v8::Local<v8::Value> port;
  if (!Create(there, std::move(end), maker).ToLocal(&handle)) return;
  v8::Local<v8::Value> argv[] = {handle};
  if (maker->Call(there.context, there.Undefined(), 1, argv).ToLocal(&port)) info.GetReturnValue().Set(port);
}

std::shared_ptr<PortEnd> PortWrap::Release() {
  std::shared_ptr<PortEnd> end = std::move(end_);
  if (end != nullptr) end->Detach();
  CloseHandle();
  return end;
}

void PortWrap::CloseHandle() {
  receiving_ = false;
  if (end_ != nullptr) {
    end_->Close();
    end_ = nullptr;
  }
  if (async_ == nullptr || async_->IsClosing()) return;
  async_->Close([self = std::weak_ptr<PortWrap*>(self_)] {
    std::shared_ptr<PortWrap*> alive = self.lock();
    if (alive == nullptr || (*alive)->realm().terminating) return;
    PortWrap* port = *alive;
    bridge::JsScope scope(port->realm());
    v8::Local<v8::Object> object = port->object();
    port->async_.reset();
    port->Unpin();
    (void)bridge::CallMethod(scope.js(), object, "onclose", 0, nullptr);
  });
}

void PortWrap::OnWake() {
  if (end_ == nullptr || realm().terminating) return;
  size_t left = std::max(end_->QueueSize(), kMaxAtOnce);
  std::weak_ptr<PortWrap*> self = self_;
  delivering_ = true;
  for (; left > 0; left--) {
    if (!receiving_ && !end_->NextIsClose()) break;
    std::unique_ptr<Message> message = end_->Take();
    if (message == nullptr) break;
    if (message->is_close) {
      close_after_delivery_ = true;
      break;
    }
    Deliver(*message);
    // JavaScript may have transferred the port, or ended the realm.
    if (self.expired()) return;
    if (end_ == nullptr || realm().terminating) break;
  }
  delivering_ = false;
  if (close_after_delivery_) return CloseHandle();
  if (end_ != nullptr && left == 0 && end_->QueueSize() > 0) async_->Send();
}

void PortWrap::Deliver(Message& message) {
  bridge::JsScope scope(realm());
  v8::Local<v8::Function> maker = maker_.Get(scope.js().isolate);
  v8::Context::Scope inside(ContextOf(scope.js(), maker));
  Js js(scope.js().isolate);
  v8::Local<v8::Object> handle = object();
  std::vector<v8::Local<v8::Value>> ports;
  v8::Local<v8::Value> value;
  v8::TryCatch failure(js.isolate);
  if (!Deserialize(js, message, &ports, maker).ToLocal(&value)) {
    if (!failure.HasCaught() || failure.HasTerminated()) return;
    v8::Local<v8::Value> argv[] = {failure.Exception()};
    failure.Reset();
    (void)bridge::CallMethod(js, handle, "onmessageerror", 1, argv);
    return;
  }
  v8::Local<v8::Value> argv[] = {value, v8::Array::New(js.isolate, ports.data(), ports.size())};
  (void)bridge::CallMethod(js, handle, "onmessage", 2, argv);
}

/// postMessage(value, transferList): true, or undefined when closed; the second of a channel's ends that is posted to
/// itself is lost, which JavaScript warns of when told by "lost".
void PortWrap::PostMessage(Js& js, const Info& info) {
  std::unique_ptr<Message> message = Serialize(js, info[0], info[1], end_.get());
  if (message == nullptr || end_ == nullptr) return;
  for (const HostObject& object : message->objects) {
    if (object.port == nullptr || !object.port->IsSiblingOf(end_.get())) continue;
    info.GetReturnValue().Set(js.Name("lost"));
    message = nullptr;
    CloseHandle();
    return;
  }
  end_->Post(std::move(message));
  info.GetReturnValue().Set(true);
}

/// receive(): [value] for the next message, or undefined if none waits.
void PortWrap::Receive(Js& js, const Info& info) {
  if (end_ == nullptr || end_->NextIsClose()) return;
  std::unique_ptr<Message> message = end_->Take();
  if (message == nullptr) return;
  v8::Local<v8::Value> value;
  if (!Deserialize(js, *message, nullptr, maker_.Get(js.isolate)).ToLocal(&value)) return;
  info.GetReturnValue().Set(v8::Array::New(js.isolate, &value, 1));
}

void PortWrap::Start(Js&) {
  if (end_ == nullptr) return;
  receiving_ = true;
  if (end_->QueueSize() > 0) async_->Send();
}

void PortWrap::Stop(Js&) { receiving_ = false; }

/// Delivers what waits, now.
void PortWrap::Drain(Js&) { OnWake(); }

/// While messages are being delivered, those that are there still are, and then the port closes.
void PortWrap::Close(Js&) {
  if (delivering_) {
    close_after_delivery_ = true;
  } else {
    CloseHandle();
  }
}

void PortWrap::Ref(Js&) {
  if (async_ != nullptr) async_->Ref();
}

void PortWrap::Unref(Js&) {
  if (async_ != nullptr) async_->Unref();
}

/// A port that is closing counts until it is closed, unless somebody says otherwise.
bool PortWrap::HasRef(Js&) { return async_ != nullptr && async_->HasRef(); }

bool PortWrap::IsDetached(Js&) { return end_ == nullptr; }

namespace {

constexpr NativeFunction kPortMethods[] = {
    RawMethod<&PortWrap::PostMessage>("postMessage"),
    RawMethod<&PortWrap::Receive>("receive"),
    RawMethod<&PortWrap::MoveTo>("moveTo"),
    Method<&PortWrap::Start>("start"),
    Method<&PortWrap::Stop>("stop"),
    Method<&PortWrap::Drain>("drain"),
    Method<&PortWrap::Close>("close"),
    Method<&PortWrap::Ref>("ref"),
    Method<&PortWrap::Unref>("unref"),
    Method<&PortWrap::HasRef>("hasRef"),
    Method<&PortWrap::IsDetached>("isDetached"),
};

/// createChannel(): two handles.
void CreateChannel(const Info& info) {
  Js js(info);
  auto [first, second] = PortEnd::CreateChannel();
  v8::Local<v8::Object> handles[2];
  if (!PortWrap::Create(js, std::move(first)).ToLocal(&handles[0])) return;
  if (!PortWrap::Create(js, std::move(second)).ToLocal(&handles[1])) return;
  v8::Local<v8::Value> values[] = {handles[0], handles[1]};
  info.GetReturnValue().Set(v8::Array::New(js.isolate, values, 2));
}

/// joinBroadcast(name): a handle.
v8::MaybeLocal<v8::Object> JoinBroadcast(Js& js, std::string name) { return PortWrap::Create(js, PortEnd::Join(name)); }

/// structuredClone(value, transferList)
void StructuredClone(const Info& info) {
  Js js(info);
  std::unique_ptr<Message> message = Serialize(js, info[0], info[1], nullptr);
  if (message == nullptr) return;
  v8::Local<v8::Value> value;
  if (Deserialize(js, *message, nullptr).ToLocal(&value)) info.GetReturnValue().Set(value);
}

/// mark(object, name): sets a mark that Serialize respects: "untransferable" or "uncloneable".
void Mark(Js& js, v8::Local<v8::Object> object, std::string name) {
  v8::Local<v8::Private> key = v8::Private::ForApi(js.isolate, js.Name("gyre:" + name));
  (void)object->SetPrivate(js.context, key, v8::True(js.isolate));
}

bool IsMarkedWith(Js& js, v8::Local<v8::Object> object, std::string name) {
  v8::Local<v8::Private> key = v8::Private::ForApi(js.isolate, js.Name("gyre:" + name));
  v8::Local<v8::Value> value;
  return object->GetPrivate(js.context, key).ToLocal(&value) && value->IsTrue();
}

constexpr NativeFunction kFunctions[] = {
    RawFn("createChannel", &CreateChannel),
    Fn<&JoinBroadcast>("joinBroadcast"),
    RawFn("structuredClone", &StructuredClone),
    Fn<&Mark>("mark"),
    Fn<&IsMarkedWith>("isMarked"),
};
constexpr const NativeClass* kClasses[] = {&PortWrap::kClass};

}  // namespace

const NativeClass PortWrap::kClass = {.name = "PortHandle", .methods = kPortMethods};

}  // namespace gyre::web

namespace gyre::modules {
extern const NativeModule kMessagingModule;
const NativeModule kMessagingModule = {
    .name = "messaging", .functions = web::kFunctions, .classes = web::kClasses, .init = nullptr};
}  // namespace gyre::modules

// Message ports: channels between realms, also of other threads, and named broadcast groups.
//
// PortEnd: the shared half. Thread: any; a channel's state is guarded by its mutex. Owner: a PortWrap, or a Message in
// flight. Invariants: an end is attached to at most one PortWrap; messages that arrive meanwhile wait in its queue.
//
// PortWrap: what JavaScript holds. Thread: the isolate's. Owner: pinned until closed or transferred.
#ifndef GYRE_WEB_MESSAGE_PORT_H_
#define GYRE_WEB_MESSAGE_PORT_H_

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bridge/module.h"
#include "loop/async.h"
#include "web/message.h"

namespace gyre::web {

/// The ends that hear each other: two for a channel, any number for a broadcast group.
struct PortGroup {
  std::mutex mutex;
  std::vector<PortEnd*> ends;
  std::string name;  // of a broadcast group; empty for a channel
};

class PortEnd {
 public:
  explicit PortEnd(std::shared_ptr<PortGroup> group);
  ~PortEnd();
  PortEnd(const PortEnd&) = delete;
  PortEnd& operator=(const PortEnd&) = delete;

  static std::pair<std::shared_ptr<PortEnd>, std::shared_ptr<PortEnd>> CreateChannel();
  /// Joins the broadcast group of this name, process-wide.
  static std::shared_ptr<PortEnd> Join(const std::string& name);

  /// Gives the message to the other ends, copies of it to all but the last of a broadcast group.
  void Post(std::unique_ptr<Message> message);

  /// The next message, or null.
  std::unique_ptr<Message> Take();
  size_t QueueSize();
  bool NextIsClose();

  /// From now on `sender` is signalled when a message arrives; at once if some wait.
  void Attach(std::shared_ptr<loop::AsyncSender> sender);
  void Detach();
  /// Leaves the group; the other end of a channel gets a last message.
  void Close();

  bool IsSiblingOf(const PortEnd* other) const { return other != nullptr && other != this && other->group_ == group_; }

 private:
  void Receive(std::unique_ptr<Message> message);  // with the mutex held

  std::shared_ptr<PortGroup> group_;
  std::deque<std::unique_ptr<Message>> queue_;
  std::shared_ptr<loop::AsyncSender> sender_;
  bool closed_ = false;
};

class PortWrap : public Wrap {
 public:
  static const NativeClass kClass;

  PortWrap(Js& js, v8::Local<v8::Object> object, std::shared_ptr<PortEnd> end);
  ~PortWrap() override;

  /// The native handle of a port, which JavaScript wraps in a MessagePort by Hook::kMessagePort.
  /// `maker`, if given, makes ports of a context of node:vm: there the handle lives, and there its messages are read.
  static v8::MaybeLocal<v8::Object> Create(Js& js, std::shared_ptr<PortEnd> end, v8::Local<v8::Function> maker = {});

  const std::shared_ptr<PortEnd>& end() const { return end_; }
  /// Gives the end up, for a transfer; the handle closes without telling the other side.
  std::shared_ptr<PortEnd> Release();

  void PostMessage(Js& js, const Info& info);
  void Receive(Js& js, const Info& info);
  /// moveTo(maker): gives the end up to a port of the maker's context, which is returned; undefined when closed.
  void MoveTo(Js& js, const Info& info);
  void Start(Js& js);
  void Stop(Js& js);
  void Drain(Js& js);
  void Close(Js& js);
  void Ref(Js& js);
  void Unref(Js& js);
  bool HasRef(Js& js);
  bool IsDetached(Js& js);

 private:
  void OnWake();
  /// Hands a message to JavaScript: `onmessage(value, ports)`, or `onmessageerror(error)` if it cannot be read.
  void Deliver(Message& message);
  void CloseHandle();

  v8::Global<v8::Function> maker_;
  std::shared_ptr<PortEnd> end_;
  loop::HandlePtr<loop::AsyncHandle> async_;
  bool receiving_ = false;
  bool delivering_ = false;
  bool close_after_delivery_ = false;
  // What callbacks of the loop that may outlive this hold weakly.
  std::shared_ptr<PortWrap*> self_ = std::make_shared<PortWrap*>(this);
};

}  // namespace gyre::web

#endif  // GYRE_WEB_MESSAGE_PORT_H_

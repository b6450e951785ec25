// A message: a value in serialised form with what is transferred along, on its way between ports, realms or threads.
//
// Thread: any, one at a time; made and read on threads that have an isolate. Owner: whoever holds it: the sender, then
// a port's queue, then the receiver. Dropping it closes the ports inside.
#ifndef GYRE_WEB_MESSAGE_H_
#define GYRE_WEB_MESSAGE_H_

#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "bridge/module.h"

namespace gyre::web {

class PortEnd;

/// Memory that V8's serializer allocated.
class SerializedData {
 public:
  SerializedData() = default;
  explicit SerializedData(std::pair<uint8_t*, size_t> released) : data_(released.first), size_(released.second) {}
  SerializedData(SerializedData&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  SerializedData& operator=(SerializedData&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~SerializedData() { std::free(data_); }
  SerializedData Copy() const;
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

/// An object that V8 does not know: a port, or one of JavaScript that says how it is moved or copied, as [kind, state].
struct HostObject {
  std::shared_ptr<PortEnd> port;  // null for an object of JavaScript
  SerializedData description;
};

struct Message {
  SerializedData value;
  std::vector<HostObject> objects;  // what `value` refers to by number: the transferred ones first
  std::vector<std::shared_ptr<v8::BackingStore>> array_buffers;
  std::vector<std::shared_ptr<v8::BackingStore>> shared_array_buffers;
  std::vector<v8::CompiledWasmModule> wasm_modules;
  bool is_close = false;  // the last message of a port whose other end closed

  bool HasPort(const PortEnd* end) const;
  /// A copy for another receiver of a broadcast, in which nothing is transferred.
  std::unique_ptr<Message> Copy() const;
};

/// Serialises `value`, transferring what the array or undefined `transfer_list` names. `source` is the port that it is
/// to be posted from, or null. Empty with an exception pending (a DataCloneError, or what a getter threw).
std::unique_ptr<Message> Serialize(Js& js, v8::Local<v8::Value> value, v8::Local<v8::Value> transfer_list,
                                   const PortEnd* source);

/// Makes the value in the current context. `ports`, if given, receives the ports that were transferred. `make_port`, if
/// given, is the function that makes ports of that context out of native handles.
v8::MaybeLocal<v8::Value> Deserialize(Js& js, Message& message, std::vector<v8::Local<v8::Value>>* ports,
                                      v8::Local<v8::Function> make_port = {});

}  // namespace gyre::web

#endif  // GYRE_WEB_MESSAGE_H_

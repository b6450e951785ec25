// A realm: one JavaScript global with Gyre's builtins in it, and the native state of its modules.
//
// Thread: the isolate's. Owner: the runtime (main thread) or a worker. Invariants: module state lives in typed
// slots, so that adding a module never edits this file; what the JavaScript halves hand to the native side (the
// tick callback, the error table, ...) lives in one JavaScript array, `hooks`, so that a start-up snapshot carries it.
#ifndef GYRE_ENGINE_REALM_H_
#define GYRE_ENGINE_REALM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/js.h"
#include "engine/native.h"

namespace gyre::loop {
class Loop;
}

namespace gyre::engine {

/// What JavaScript registers with the native side, by `binding('realm').setHook(name, value)`.
enum class Hook : uint32_t {
  kErrorCodes,          // { CODE: constructor }
  kTickCallback,        // processTicksAndRejections()
  kPromiseReject,       // (type, promise, value)
  kUncaught,            // (error, fromPromise) -> boolean: handled
  kProcessImmediate,    // ()
  kProcessTimers,       // (now) -> next expiry
  kImportDynamically,   // (referrerId, specifier, attributes, referrerName) -> promise
  kImportMeta,          // (id, meta, module)
  kPrepareStackTrace,   // (globalThis, error, trace) -> value
  kMain,                // (): after the realm is set up, runs the program
  kBeforeExit,          // (): emits 'beforeExit'
  kExit,                // (code) -> code: emits 'exit'
  kSharedFields,        // { name: TypedArray }
  kRequireBuiltin,      // (id) -> exports
  kMessagePort,         // deserialisation and delivery of messages, see src/web/messaging
  kEmitProcess,         // (event, ...args): process.emit
  kAsyncHooks,          // before/after of native operations once hooks exist
  kBufferPrototype,     // Buffer.prototype: what MakeBuffer sets on its results
  kDomException,        // (message, name) -> DOMException
  kSpare1,
  kSpare2,
  kCount,
};

class SlotBase {
 public:
  virtual ~SlotBase() = default;
};

namespace internal {
uint32_t NextSlotId();
template <typename T>
uint32_t SlotId() {
  static const uint32_t id = NextSlotId();
  return id;
}
}  // namespace internal

/// Element types and their arrays.
namespace internal {
template <typename T>
struct View;
template <typename V>
struct Element;
#define GYRE_VIEW(T, V)     \
  template <>               \
  struct View<T> {          \
    using Type = v8::V;     \
  };                        \
  template <>               \
  struct Element<v8::V> {   \
    using Type = T;         \
  };
GYRE_VIEW(uint8_t, Uint8Array)
GYRE_VIEW(int32_t, Int32Array)
GYRE_VIEW(uint32_t, Uint32Array)
GYRE_VIEW(double, Float64Array)
#undef GYRE_VIEW
}  // namespace internal
template <typename T>
using ViewOf = typename internal::View<T>::Type;
template <typename V>
using ElementOf = typename internal::Element<V>::Type;

class Realm {
 public:
  /// `loop` is null only while a snapshot is made.
  Realm(v8::Isolate* isolate, loop::Loop* loop);
  ~Realm();
  Realm(const Realm&) = delete;
  Realm& operator=(const Realm&) = delete;

  static Realm& From(v8::Isolate* isolate) { return *static_cast<Realm*>(isolate->GetData(kIsolateSlot)); }
  static constexpr uint32_t kIsolateSlot = 0;

  v8::Isolate* isolate() const { return isolate_; }
  v8::Local<v8::Context> context() const { return context_.Get(isolate_); }
  /// Adopts a new context, and its hooks array from a snapshot if it has one.
  void Attach(v8::Local<v8::Context> context, v8::Local<v8::Array> hooks);
  v8::Local<v8::Array> hooks_array() const { return hooks_array_.Get(isolate_); }

  loop::Loop& loop() const { return *loop_; }
  bool has_loop() const { return loop_ != nullptr; }

  /// Module state of type T, made by `T(Realm&)` when first asked for. Destroyed, last made first, with the realm.
  template <typename T>
  T& Slot() {
    uint32_t id = internal::SlotId<T>();
    if (id >= slots_.size()) slots_.resize(id + 1, nullptr);
    if (slots_[id] == nullptr) slots_[id] = AddSlot(std::make_unique<Holder<T>>(*this));
    return static_cast<Holder<T>*>(slots_[id])->value;
  }

  // --- hooks ---
  v8::Local<v8::Value> hook(Hook which) const;
  v8::Local<v8::Function> hook_function(Hook which) const;  // empty when it is not set
  void SetHook(Hook which, v8::Local<v8::Value> value);

  /// A typed array shared with JavaScript by name; its memory lives as long as the realm.
  template <typename T>
  T* SharedField(std::string_view name, size_t count) {
    v8::HandleScope handles(isolate_);
    v8::Context::Scope scope(context());
    return static_cast<T*>(SharedFieldData(name, SharedArray<ViewOf<T>>(name, count)));
  }
  /// The array itself: View is v8::Uint8Array, v8::Float64Array, ... The same object whenever it is asked for: a snapshot
  /// cannot hold an ArrayBuffer that is reached on two ways.
  template <typename View>
  v8::Local<View> SharedArray(std::string_view name, size_t count) {
    v8::Local<v8::Value> known = FindSharedArray(name);
    if (!known->IsUndefined()) return known.As<View>();
    v8::Local<View> view = View::New(v8::ArrayBuffer::New(isolate_, count * sizeof(ElementOf<View>)), 0, count);
    KeepSharedArray(name, view);
    return view;
  }

  // --- the native half of a module: made when first asked for ---
  v8::MaybeLocal<v8::Object> Binding(Js& js, std::string_view name);

  /// A class of a native module's table, instantiated for this realm. The template is kept by name "module.Class".
  v8::Local<v8::FunctionTemplate> ClassTemplate(const NativeClass& spec);

  /// Lets go of every handle, so that a snapshot can be taken; hands over the class templates in the tables' order.
  void ReleaseForSnapshot(const std::function<void(v8::Local<v8::FunctionTemplate>)>& add_template);
  bool from_snapshot = false;

  // --- depth of the scope that enters JavaScript, see bridge/js_scope.h ---
  int entry_depth = 0;
  bool terminating = false;   // JavaScript may not be entered any more
  bool is_main_thread = true;
  uint32_t thread_id = 0;

 private:
  template <typename T>
  struct Holder : SlotBase {
    explicit Holder(Realm& realm) : value(realm) {}
    T value;
  };
  SlotBase* AddSlot(std::unique_ptr<SlotBase> slot);
  void* SharedFieldData(std::string_view name, v8::Local<v8::TypedArray> view);
  v8::Local<v8::Value> FindSharedArray(std::string_view name);
  void KeepSharedArray(std::string_view name, v8::Local<v8::TypedArray> view);

  v8::Isolate* isolate_;
  loop::Loop* loop_;
  v8::Global<v8::Context> context_;
  v8::Global<v8::Array> hooks_array_;
  mutable v8::Global<v8::Value> hooks_[static_cast<size_t>(Hook::kCount)];
  std::vector<SlotBase*> slots_;
  std::vector<std::unique_ptr<SlotBase>> slots_in_order_;
  std::unordered_map<std::string, v8::Global<v8::Object>> bindings_;
  std::unordered_map<const NativeClass*, v8::Global<v8::FunctionTemplate>> class_templates_;
  std::unordered_map<std::string, std::pair<std::shared_ptr<v8::BackingStore>, void*>> shared_fields_;
};

}  // namespace gyre::engine

namespace gyre {
using engine::Hook;
using engine::Realm;
}  // namespace gyre

#endif  // GYRE_ENGINE_REALM_H_

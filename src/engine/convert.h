// Binding a C++ function to JavaScript from its signature.
//
// Arguments are unwrapped left to right into owned values; buffers (BufferView) come last in a signature, because
// converting an earlier argument may run JavaScript that detaches them. A conversion that cannot be done leaves
// a TypeError pending and the function is not called. The JavaScript halves check what users hand over and make
// Node's errors; these conversions only make sure that nothing can crash.
#ifndef GYRE_ENGINE_CONVERT_H_
#define GYRE_ENGINE_CONVERT_H_

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/js.h"
#include "engine/native.h"

namespace gyre::engine {

/// The bytes of an ArrayBufferView, ArrayBuffer or SharedArrayBuffer, for the length of one call. To keep them
/// beyond it, use PinnedBuffer.
struct BufferView : std::span<uint8_t> {
  using std::span<uint8_t>::span;
  BufferView(std::span<uint8_t> bytes) : std::span<uint8_t>(bytes) {}
  std::string_view text() const { return {reinterpret_cast<const char*>(data()), size()}; }
};

/// The bytes of any buffer-like value; nullopt if it is none. Never runs JavaScript.
std::optional<BufferView> BytesOf(v8::Local<v8::Value> value);

/// Keeps the memory of a buffer alive and in place while an operation is in flight, whatever JavaScript drops or
/// detaches meanwhile. A resizable buffer is copied, because shrinking it takes its memory away: what is written goes
/// back by `Publish`.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  static std::optional<PinnedBuffer> From(v8::Local<v8::Value> value);
  /// Writes a copy back to where it came from, as far as that is still there. The isolate's thread.
  void Publish() const;
  std::span<uint8_t> bytes() const { return {data_, size_}; }
  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 protected:
  static std::optional<PinnedBuffer> InPlace(v8::Local<v8::Value> value);

 private:
  std::shared_ptr<v8::BackingStore> store_;
  std::shared_ptr<uint8_t[]> copy_;  // of a resizable buffer
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  size_t offset_ = 0;  // into store_
};

/// The same for memory that only the kernel touches, always in place: the kernel says EFAULT where there is none any more.
struct KernelBuffer : PinnedBuffer {
  KernelBuffer() = default;
  explicit KernelBuffer(PinnedBuffer buffer) : PinnedBuffer(std::move(buffer)) {}
  static std::optional<KernelBuffer> From(v8::Local<v8::Value> value);
};

void ThrowBadArgument(Js& js, int index, const char* expected);

// --- FromJs: one overload a type; false means that an exception is pending ---
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, bool& out);
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, int32_t& out);
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, uint32_t& out);
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, int64_t& out);   // Number or BigInt
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, uint64_t& out);  // Number or BigInt
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, double& out);
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, std::string& out);  // a string, or a buffer's bytes
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, v8::Local<v8::Value>& out);
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, v8::Local<v8::Object>& out);
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, v8::Local<v8::Function>& out);
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, v8::Local<v8::String>& out);
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, v8::Local<v8::Array>& out);
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, BufferView& out);
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, PinnedBuffer& out);
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, KernelBuffer& out);
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, std::vector<std::string>& out);

/// undefined and null are "no value".
template <typename T>
bool FromJs(Js& js, v8::Local<v8::Value> value, int index, std::optional<T>& out) {
  if (value->IsNullOrUndefined()) return true;
  T inner{};
  if (!FromJs(js, value, index, inner)) return false;
  out = std::move(inner);
  return true;
}

// --- Return: sets what the call returns, or leaves an exception pending ---
using Info = v8::FunctionCallbackInfo<v8::Value>;
inline void Return(Js&, const Info& info, bool value) { info.GetReturnValue().Set(value); }
inline void Return(Js&, const Info& info, int32_t value) { info.GetReturnValue().Set(value); }
inline void Return(Js&, const Info& info, uint32_t value) { info.GetReturnValue().Set(value); }
inline void Return(Js&, const Info& info, int64_t value) { info.GetReturnValue().Set(static_cast<double>(value)); }
inline void Return(Js&, const Info& info, uint64_t value) { info.GetReturnValue().Set(static_cast<double>(value)); }
inline void Return(Js&, const Info& info, double value) { info.GetReturnValue().Set(value); }
inline void Return(Js& js, const Info& info, const std::string& value) { info.GetReturnValue().Set(js.Str(value)); }
template <typename T>
void Return(Js&, const Info& info, v8::Local<T> value) {
  if (!value.IsEmpty()) info.GetReturnValue().Set(value);
}
template <typename T>
void Return(Js&, const Info& info, v8::MaybeLocal<T> value) {
  v8::Local<T> local;
  if (value.ToLocal(&local)) info.GetReturnValue().Set(local);
}
inline void Return(Js& js, const Info& info, const std::vector<std::string>& values) {
  v8::Local<v8::Array> array = v8::Array::New(js.isolate, static_cast<int>(values.size()));
  for (uint32_t i = 0; i < values.size(); i++) {
    if (!js.Set(array, i, js.Str(values[i]))) return;
  }
  info.GetReturnValue().Set(array);
}
template <typename T>
void Return(Js& js, const Info& info, const std::optional<T>& value) {
  if (value) Return(js, info, *value);
}
template <typename T>
void Return(Js& js, const Info& info, base::Result<T>&& value) {
  if (!value.has_value()) return js.ThrowSystem(value.error());
  if constexpr (!std::is_void_v<T>) Return(js, info, std::move(*value));
}

namespace internal {

template <typename T>
using Owned = std::remove_cvref_t<T>;

template <auto F, typename R, typename... Args>
void Invoke(const Info& info, R (*)(Js&, Args...)) {
  Js js(info);
  std::tuple<Owned<Args>...> args;
  int index = 0;
  bool ok = std::apply([&](auto&... arg) { return ((FromJs(js, info[index], index, arg) && (++index, true)) && ...); },
                       args);
  if (!ok) return;
  if constexpr (std::is_void_v<R>) {
    std::apply([&](auto&... arg) { F(js, std::move(arg)...); }, args);
  } else {
    Return(js, info, std::apply([&](auto&... arg) { return F(js, std::move(arg)...); }, args));
  }
}

template <auto F>
void Thunk(const Info& info) {
  Invoke<F>(info, F);
}

template <typename R, typename... Args>
consteval int ArityOf(R (*)(Js&, Args...)) {
  return static_cast<int>(sizeof...(Args));
}

}  // namespace internal

/// A table entry for `R F(Js& js, Args...)`.
template <auto F>
consteval NativeFunction Fn(const char* name) {
  return NativeFunction{name, &internal::Thunk<F>, internal::ArityOf(F)};
}

/// A table entry for a function that reads its arguments itself.
consteval NativeFunction RawFn(const char* name, v8::FunctionCallback callback, int length = 0) {
  return NativeFunction{name, callback, length};
}

/// A table entry with a fast call: `Fast` takes the receiver first (v8::Local<v8::Object>) and otherwise only types
/// that v8::CFunction knows. It must do what `callback` does, and must not run JavaScript.
template <auto Fast>
consteval NativeFunction FastFn(const char* name, v8::FunctionCallback callback, int length = 0) {
  return NativeFunction{name, callback, length, [] { return v8::CFunction::Make(Fast); }};
}

}  // namespace gyre::engine

namespace gyre {
using engine::BufferView;
using engine::BytesOf;
using engine::FastFn;
using engine::Fn;
using engine::KernelBuffer;
using engine::PinnedBuffer;
using engine::RawFn;
}  // namespace gyre

#endif  // GYRE_ENGINE_CONVERT_H_

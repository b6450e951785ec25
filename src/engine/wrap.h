// A C++ object behind a JavaScript object.
//
// Thread: the isolate's. Owner: while nothing else is said, the JavaScript object owns the Wrap: when it is collected
// (or the realm ends) the Wrap is deleted. `Pin` makes the Wrap keep its JavaScript object alive, for as long as an
// operation flies or a handle is active; pins are counted. `OnCollect` says what is to happen before deletion; a Wrap
// whose native part must outlive it (a handle that closes in the closing phase) hands that part over there.
// Invariant: a wrapper's internal field is null once the Wrap is gone, so `Wrap::From` is always safe.
#ifndef GYRE_ENGINE_WRAP_H_
#define GYRE_ENGINE_WRAP_H_

#include "engine/convert.h"
#include "engine/js.h"
#include "engine/native.h"
#include "engine/realm.h"

namespace gyre::engine {

class Wrap {
 public:
  /// `object` must be an instance of a NativeClass (one internal field). `tag` is the address of the class's table:
  /// it is checked whenever a wrapper is unwrapped.
  Wrap(Realm& realm, v8::Local<v8::Object> object, const NativeClass* tag);
  virtual ~Wrap();
  Wrap(const Wrap&) = delete;
  Wrap& operator=(const Wrap&) = delete;

  Realm& realm() const { return realm_; }
  v8::Local<v8::Object> object() const { return object_.Get(realm_.isolate()); }

  void Pin();
  void Unpin();
  bool pinned() const { return pins_ > 0; }

  /// A marker, the Wrap, and one thing of V8's heap that lives as long as the JavaScript object (see KeepInObject).
  static constexpr int kFieldCount = 3;

  /// The Wrap behind `value`, or null if it is not an instance of `tag` or of a class below it.
  static Wrap* From(v8::Local<v8::Value> value, const NativeClass* tag);

  /// The T behind the receiver of a call; throws ERR_INVALID_THIS and returns null if it is something else.
  /// T names its table as `static const NativeClass kClass`.
  template <typename T>
  static T* This(const Info& info) {
    Wrap* wrap = From(info.This(), &T::kClass);
    if (wrap == nullptr) ThrowInvalidThis(info, T::kClass.name);
    return static_cast<T*>(wrap);
  }
  template <typename T>
  static T* From(v8::Local<v8::Value> value) {
    return static_cast<T*>(From(value, &T::kClass));
  }

  /// A new JavaScript instance of a class, without running its `construct`; the caller makes its Wrap.
  static v8::MaybeLocal<v8::Object> NewInstance(Js& js, const NativeClass& spec);

  /// Deletes every Wrap of the realm; called when the realm ends.
  static void DestroyAll(Realm& realm);

 protected:
  /// Lets the JavaScript object keep `data` alive. A Global of it, made weak, then refers to it without making a cycle through
  /// the native side, which the collector cannot see.
  void KeepInObject(v8::Local<v8::Data> data) { object()->SetInternalField(2, data); }

  /// The JavaScript object was collected. By default deletes this.
  virtual void OnCollect() { delete this; }

 private:
  static void ThrowInvalidThis(const Info& info, const char* name);
  static void Collected(const v8::WeakCallbackInfo<Wrap>& info);
  void MakeWeak();

  friend struct WrapList;
  Realm& realm_;
  const NativeClass* tag_;
  v8::Global<v8::Object> object_;
  int pins_ = 0;
  Wrap* next_ = nullptr;
  Wrap* previous_ = nullptr;
};

namespace internal {

template <auto M, typename T, typename R, typename... Args>
void InvokeMethod(const Info& info, R (T::*)(Js&, Args...)) {
  T* self = Wrap::This<T>(info);
  if (self == nullptr) return;
  Js js(info);
  std::tuple<Owned<Args>...> args;
  int index = 0;
  bool ok = std::apply([&](auto&... arg) { return ((FromJs(js, info[index], index, arg) && (++index, true)) && ...); },
                       args);
  if (!ok) return;
  if constexpr (std::is_void_v<R>) {
    std::apply([&](auto&... arg) { (self->*M)(js, std::move(arg)...); }, args);
  } else {
    Return(js, info, std::apply([&](auto&... arg) { return (self->*M)(js, std::move(arg)...); }, args));
  }
}

template <auto M>
void MethodThunk(const Info& info) {
  InvokeMethod<M>(info, M);
}

template <auto M, typename T>
void InvokeRawMethod(const Info& info, void (T::*)(Js&, const Info&)) {
  T* self = Wrap::This<T>(info);
  if (self == nullptr) return;
  Js js(info);
  (self->*M)(js, info);
}

template <auto M>
void RawMethodThunk(const Info& info) {
  InvokeRawMethod<M>(info, M);
}

template <typename T, typename R, typename... Args>
consteval int MethodArityOf(R (T::*)(Js&, Args...)) {
  return static_cast<int>(sizeof...(Args));
}

}  // namespace internal

/// Table entries for `R T::Method(Js& js, Args...)` and for `void T::Method(Js& js, const Info& info)`.
template <auto M>
consteval NativeFunction Method(const char* name) {
  return NativeFunction{name, &internal::MethodThunk<M>, internal::MethodArityOf(M)};
}
template <auto M>
consteval NativeFunction RawMethod(const char* name) {
  return NativeFunction{name, &internal::RawMethodThunk<M>, 0};
}
template <auto M>
consteval NativeAccessor Getter(const char* name) {
  return NativeAccessor{name, &internal::MethodThunk<M>};
}

}  // namespace gyre::engine

namespace gyre {
using engine::Getter;
using engine::Info;
using engine::Method;
using engine::RawMethod;
using engine::Wrap;
}  // namespace gyre

#endif  // GYRE_ENGINE_WRAP_H_

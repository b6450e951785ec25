// What a native function is given to work with: the isolate, the current context and its realm, with the
// conversions and throwers that native halves use all day.
//
// Thread: the isolate's. Owner: the stack; a Js never outlives the HandleScope that it was made in.
#ifndef GYRE_ENGINE_JS_H_
#define GYRE_ENGINE_JS_H_

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "engine/v8_prelude.h"

#include <v8.h>

namespace gyre::engine {

class Realm;

/// A first parameter `Js& js` says that the function may run JavaScript.
struct Js {
  v8::Isolate* isolate;
  v8::Local<v8::Context> context;
  Realm& realm;

  /// The current context of `isolate`, which must belong to a realm.
  explicit Js(v8::Isolate* isolate);
  explicit Js(Realm& realm);
  explicit Js(const v8::FunctionCallbackInfo<v8::Value>& info) : Js(info.GetIsolate()) {}

  // --- values out of C++ ---
  /// UTF-8 to a JavaScript string. Text longer than V8's limit becomes the empty string.
  v8::Local<v8::String> Str(std::string_view utf8) const;
  /// A property name or other string that recurs: internalised.
  v8::Local<v8::String> Name(std::string_view utf8) const;
  v8::Local<v8::String> Latin1(std::string_view bytes) const;
  v8::Local<v8::Number> Num(double value) const { return v8::Number::New(isolate, value); }
  v8::Local<v8::Integer> Int(int32_t value) const { return v8::Integer::New(isolate, value); }
  v8::Local<v8::Integer> Uint(uint32_t value) const { return v8::Integer::NewFromUnsigned(isolate, value); }
  v8::Local<v8::Boolean> Bool(bool value) const { return v8::Boolean::New(isolate, value); }
  v8::Local<v8::Primitive> Undefined() const { return v8::Undefined(isolate); }
  v8::Local<v8::Primitive> Null() const { return v8::Null(isolate); }
  v8::Local<v8::Object> Object() const { return v8::Object::New(isolate); }

  // --- properties; they report failure as a pending exception by returning false or an empty handle ---
  /// Defines an own property of an object of ours: setters that a program put on a prototype do not run.
  bool Set(v8::Local<v8::Object> object, std::string_view key, v8::Local<v8::Value> value) const;
  bool Set(v8::Local<v8::Object> object, uint32_t index, v8::Local<v8::Value> value) const;
  bool SetReadOnly(v8::Local<v8::Object> object, std::string_view key, v8::Local<v8::Value> value) const;
  v8::MaybeLocal<v8::Value> Get(v8::Local<v8::Object> object, std::string_view key) const;

  /// UTF-8 of any value by ToString; an empty string with an exception pending when that throws.
  std::string Utf8(v8::Local<v8::Value> value) const;

  // --- throwers: each leaves an exception pending; the caller returns at once ---
  /// Throws `new codes[code](...args)` of the one list of errors, src/modules/internal/errors.js.
  template <typename... Args>
  void Throw(std::string_view code, Args&&... args) const {
    v8::Local<v8::Value> values[] = {v8::Local<v8::Value>(), ToValue(std::forward<Args>(args))...};
    ThrowCode(code, static_cast<int>(sizeof...(Args)), values + 1);
  }
  void ThrowCode(std::string_view code, int argc, v8::Local<v8::Value>* argv) const;
  /// The error object for a failed system call as Node shapes it: message "CODE: text, syscall 'path' -> 'dest'",
  /// with errno (negative), code, syscall, path and dest.
  v8::Local<v8::Value> SystemError(const base::Error& error) const;
  /// Throws it. Its properties are assigned, as in Node: what a setter of Object.prototype throws is thrown instead.
  void ThrowSystem(const base::Error& error) const;
  void ThrowTypeError(std::string_view message) const;
  void ThrowRangeError(std::string_view message) const;
  void ThrowError(std::string_view message) const;

 private:
  v8::Local<v8::Value> ToValue(v8::Local<v8::Value> value) const { return value; }
  v8::Local<v8::Value> ToValue(std::string_view text) const { return Str(text); }
  v8::Local<v8::Value> ToValue(const char* text) const { return Str(text); }
  v8::Local<v8::Value> ToValue(double value) const { return Num(value); }
  v8::Local<v8::Value> ToValue(int value) const { return Int(value); }
};

}  // namespace gyre::engine

namespace gyre {
using engine::Js;
}  // namespace gyre

#endif  // GYRE_ENGINE_JS_H_

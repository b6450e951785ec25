// The tables that describe the native half of a module. One entry a function: from it come the binding that
// JavaScript sees, the start-up snapshot's external references and the names in traces.
//
// Thread: any (constant data). Owner: static storage of the module's unit.
#ifndef GYRE_ENGINE_NATIVE_H_
#define GYRE_ENGINE_NATIVE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "engine/js.h"

#include <v8-fast-api-calls.h>

namespace gyre::engine {

struct NativeFunction {
  const char* name;
  v8::FunctionCallback callback;
  int length = 0;
  /// What optimised code calls instead, straight from machine code, where the types of the arguments allow it.
  v8::CFunction (*fast)() = nullptr;
};

/// A property of a class's prototype with a getter and, unless null, a setter.
struct NativeAccessor {
  const char* name;
  v8::FunctionCallback get;
  v8::FunctionCallback set = nullptr;
};

/// A class that JavaScript constructs (or, with `construct` null, only the native side does; see bridge/wrap.h).
struct NativeClass {
  const char* name;
  v8::FunctionCallback construct = nullptr;
  std::span<const NativeFunction> methods = {};
  std::span<const NativeAccessor> accessors = {};
  const NativeClass* parent = nullptr;
  std::span<const NativeFunction> statics = {};
};

struct NativeModule {
  const char* name;
  std::span<const NativeFunction> functions = {};
  /// Pointers, so that a class has one identity whoever names it.
  std::span<const NativeClass* const> classes = {};
  /// Adds constants and the like to the binding object. Runs while a snapshot is made: no handles, no environment.
  void (*init)(Js& js, v8::Local<v8::Object> target) = nullptr;
  /// Adds the addresses of callbacks that are in none of the tables above.
  void (*references)(std::vector<intptr_t>& list) = nullptr;
};

/// The list of all native modules (src/runtime/modules.cc hands it over once, before any realm exists).
void SetNativeModules(std::span<const NativeModule* const> modules);
std::span<const NativeModule* const> NativeModules();
const NativeModule* FindNativeModule(std::string_view name);

/// The null-terminated external references of a snapshot, derived from the tables.
const intptr_t* ExternalReferences();

}  // namespace gyre::engine

namespace gyre {
using engine::NativeAccessor;
using engine::NativeClass;
using engine::NativeFunction;
using engine::NativeModule;
}  // namespace gyre

#endif  // GYRE_ENGINE_NATIVE_H_

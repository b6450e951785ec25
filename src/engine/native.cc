#include "engine/native.h"

#include <string_view>
#include <vector>

namespace gyre::engine {

namespace {

std::span<const NativeModule* const> modules;

void AddFunction(std::vector<intptr_t>& references, const NativeFunction& function) {
  references.push_back(reinterpret_cast<intptr_t>(function.callback));
  if (function.fast == nullptr) return;
  v8::CFunction fast = function.fast();
  references.push_back(reinterpret_cast<intptr_t>(fast.GetAddress()));
  references.push_back(reinterpret_cast<intptr_t>(fast.GetTypeInfo()));
}

void AddClass(std::vector<intptr_t>& references, const NativeClass& spec) {
  auto add = [&](v8::FunctionCallback callback) {
    if (callback != nullptr) references.push_back(reinterpret_cast<intptr_t>(callback));
  };
  add(spec.construct);
  for (const NativeFunction& method : spec.methods) AddFunction(references, method);
  for (const NativeFunction& method : spec.statics) AddFunction(references, method);
  for (const NativeAccessor& accessor : spec.accessors) {
    add(accessor.get);
    add(accessor.set);
  }
}

}  // namespace

void SetNativeModules(std::span<const NativeModule* const> list) { modules = list; }
std::span<const NativeModule* const> NativeModules() { return modules; }

const NativeModule* FindNativeModule(std::string_view name) {
  for (const NativeModule* module : modules) {
    if (name == module->name) return module;
  }
  return nullptr;
}

void IllegalConstructor(const v8::FunctionCallbackInfo<v8::Value>& info);

const intptr_t* ExternalReferences() {
  static const std::vector<intptr_t>* references = [] {
    auto* list = new std::vector<intptr_t>;
    list->push_back(reinterpret_cast<intptr_t>(&IllegalConstructor));
    for (const NativeModule* module : modules) {
      for (const NativeFunction& function : module->functions) AddFunction(*list, function);
      for (const NativeClass* spec : module->classes) AddClass(*list, *spec);
      if (module->references != nullptr) module->references(*list);
    }
    list->push_back(0);
    return list;
  }();
  return references->data();
}

}  // namespace gyre::engine

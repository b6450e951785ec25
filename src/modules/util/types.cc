// binding('types'): what kind of object the engine says a value is, whatever its prototype claims.
// Thread: the isolate's; no state.

#include <v8-internal.h>

#include "bridge/module.h"

namespace gyre::modules {
namespace {

template <bool (v8::Value::*Is)() const>
void Check(const v8::FunctionCallbackInfo<v8::Value>& info) {
  info.GetReturnValue().Set(((*info[0])->*Is)());
}

/// The same for optimised code, which calls it without the costs of leaving it.
template <bool (v8::Value::*Is)() const>
bool FastCheck(v8::Local<v8::Object>, v8::Local<v8::Value> value) {
  return ((*value)->*Is)();
}

template <bool (v8::Value::*Is)() const>
consteval NativeFunction CheckFn(const char* name) {
  return FastFn<&FastCheck<Is>>(name, &Check<Is>);
}

void IsAnyArrayBuffer(const v8::FunctionCallbackInfo<v8::Value>& info) {
  info.GetReturnValue().Set(info[0]->IsArrayBuffer() || info[0]->IsSharedArrayBuffer());
}

void IsBoxedPrimitive(const v8::FunctionCallbackInfo<v8::Value>& info) {
  v8::Local<v8::Value> value = info[0];
  info.GetReturnValue().Set(value->IsNumberObject() || value->IsStringObject() || value->IsBooleanObject() ||
                            value->IsBigIntObject() || value->IsSymbolObject());
}

/// What util.inspect() tells apart, in one call instead of twenty. The order is that of the names in Init().
enum Kind {
  kOther,
  kArray,
  kSet,
  kMap,
  kTypedArray,
  kMapIterator,
  kSetIterator,
  kFunction,
  kRegExp,
  kDate,
  kError,
  kAnyArrayBuffer,
  kDataView,
  kPromise,
  kWeakSet,
  kWeakMap,
  kModuleNamespace,
  kBoxedPrimitive,
  kArguments,
  kExternal,
};

/// Plain objects and instances of classes: most of what is asked about, and the last that the checks below tell.
bool IsOrdinaryObject(v8::Local<v8::Value> value) {
  using v8::internal::Internals;
  if (!value->IsObject()) return false;
  return Internals::GetInstanceType(v8::internal::ValueHelper::ValueAsAddress(*value)) == Internals::kJSObjectType;
}

Kind KindOfObject(v8::Local<v8::Value> value) {
  if (IsOrdinaryObject(value)) return kOther;
  if (value->IsArray()) return kArray;
  if (value->IsFunction()) return kFunction;
  if (value->IsNativeError()) return kError;
  if (value->IsMap()) return kMap;
  if (value->IsSet()) return kSet;
  if (value->IsTypedArray()) return kTypedArray;
  if (value->IsRegExp()) return kRegExp;
  if (value->IsDate()) return kDate;
  if (value->IsPromise()) return kPromise;
  if (value->IsArrayBuffer() || value->IsSharedArrayBuffer()) return kAnyArrayBuffer;
  if (value->IsDataView()) return kDataView;
  if (value->IsMapIterator()) return kMapIterator;
  if (value->IsSetIterator()) return kSetIterator;
  if (value->IsWeakSet()) return kWeakSet;
  if (value->IsWeakMap()) return kWeakMap;
  if (value->IsModuleNamespaceObject()) return kModuleNamespace;
  if (value->IsArgumentsObject()) return kArguments;
  if (value->IsExternal()) return kExternal;
  if (value->IsNumberObject() || value->IsStringObject() || value->IsBooleanObject() || value->IsBigIntObject() ||
      value->IsSymbolObject()) {
    return kBoxedPrimitive;
  }
  return kOther;
}

void KindOf(const v8::FunctionCallbackInfo<v8::Value>& info) {
  info.GetReturnValue().Set(static_cast<int32_t>(KindOfObject(info[0])));
}

int32_t FastKindOf(v8::Local<v8::Object>, v8::Local<v8::Value> value) { return KindOfObject(value); }

void Init(Js& js, v8::Local<v8::Object> target) {
  constexpr const char* kNames[] = {"kOther",           "kArray",          "kSet",         "kMap",
                                    "kTypedArray",      "kMapIterator",    "kSetIterator", "kFunction",
                                    "kRegExp",          "kDate",           "kError",       "kAnyArrayBuffer",
                                    "kDataView",        "kPromise",        "kWeakSet",     "kWeakMap",
                                    "kModuleNamespace", "kBoxedPrimitive", "kArguments",   "kExternal"};
  v8::Local<v8::Object> kinds = js.Object();
  for (int i = 0; i <= kExternal; i++) js.Set(kinds, kNames[i], js.Int(i));
  js.Set(target, "kinds", kinds);
}

constexpr NativeFunction kFunctions[] = {
    CheckFn<&v8::Value::IsArgumentsObject>("isArgumentsObject"),
    CheckFn<&v8::Value::IsArrayBuffer>("isArrayBuffer"),
    CheckFn<&v8::Value::IsAsyncFunction>("isAsyncFunction"),
    CheckFn<&v8::Value::IsBigIntObject>("isBigIntObject"),
    CheckFn<&v8::Value::IsBooleanObject>("isBooleanObject"),
    CheckFn<&v8::Value::IsDataView>("isDataView"),
    CheckFn<&v8::Value::IsDate>("isDate"),
    CheckFn<&v8::Value::IsExternal>("isExternal"),
    CheckFn<&v8::Value::IsGeneratorFunction>("isGeneratorFunction"),
    CheckFn<&v8::Value::IsGeneratorObject>("isGeneratorObject"),
    CheckFn<&v8::Value::IsMap>("isMap"),
    CheckFn<&v8::Value::IsMapIterator>("isMapIterator"),
    CheckFn<&v8::Value::IsModuleNamespaceObject>("isModuleNamespaceObject"),
    CheckFn<&v8::Value::IsNativeError>("isNativeError"),
    CheckFn<&v8::Value::IsNumberObject>("isNumberObject"),
    CheckFn<&v8::Value::IsPromise>("isPromise"),
    CheckFn<&v8::Value::IsProxy>("isProxy"),
    CheckFn<&v8::Value::IsRegExp>("isRegExp"),
    CheckFn<&v8::Value::IsSet>("isSet"),
    CheckFn<&v8::Value::IsSetIterator>("isSetIterator"),
    CheckFn<&v8::Value::IsSharedArrayBuffer>("isSharedArrayBuffer"),
    CheckFn<&v8::Value::IsStringObject>("isStringObject"),
    CheckFn<&v8::Value::IsSymbolObject>("isSymbolObject"),
    CheckFn<&v8::Value::IsWeakMap>("isWeakMap"),
    CheckFn<&v8::Value::IsWeakSet>("isWeakSet"),
    RawFn("isAnyArrayBuffer", &IsAnyArrayBuffer),
    RawFn("isBoxedPrimitive", &IsBoxedPrimitive),
    FastFn<&FastKindOf>("kindOf", &KindOf),
};

}  // namespace

extern const NativeModule kTypesModule = {.name = "types", .functions = kFunctions, .classes = {}, .init = &Init};

}  // namespace gyre::modules

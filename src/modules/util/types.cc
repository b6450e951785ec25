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
  kOther, kArray, kSet, kMap, kTypedArray, kMapIterator, kSetIterator, kFunction, kRegExp, kDate, kError,
  kAnyArrayBuffer, kDataView, kPromise, kWeakSet, kWeakMap, kModuleNamespace, kBoxedPrimitive, kArguments, kExternal,
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

void Init(Js& js, v8::Local<v8::Object> target) {
  constexpr const char* kNames[] = {
      "kOther", "kArray", "kSet", "kMap", "kTypedArray", "kMapIterator", "kSetIterator", "kFunction", "kRegExp",
      "kDate", "kError", "kAnyArrayBuffer", "kDataView", "kPromise", "kWeakSet", "kWeakMap", "kModuleNamespace",
      "kBoxedPrimitive", "kArguments", "kExternal"};
  v8::Local<v8::Object> kinds = js.Object();
  for (int i = 0; i <= kExternal; i++) js.Set(kinds, kNames[i], js.Int(i));
  js.Set(target, "kinds", kinds);
}

constexpr NativeFunction kFunctions[] = {
    RawFn("isArgumentsObject", &Check<&v8::Value::IsArgumentsObject>),
    RawFn("isArrayBuffer", &Check<&v8::Value::IsArrayBuffer>),
    RawFn("isAsyncFunction", &Check<&v8::Value::IsAsyncFunction>),
    RawFn("isBigIntObject", &Check<&v8::Value::IsBigIntObject>),
    RawFn("isBooleanObject", &Check<&v8::Value::IsBooleanObject>),
    RawFn("isDataView", &Check<&v8::Value::IsDataView>),
    RawFn("isDate", &Check<&v8::Value::IsDate>),
    RawFn("isExternal", &Check<&v8::Value::IsExternal>),
    RawFn("isGeneratorFunction", &Check<&v8::Value::IsGeneratorFunction>),
    RawFn("isGeneratorObject", &Check<&v8::Value::IsGeneratorObject>),
    RawFn("isMap", &Check<&v8::Value::IsMap>),
    RawFn("isMapIterator", &Check<&v8::Value::IsMapIterator>),
    RawFn("isModuleNamespaceObject", &Check<&v8::Value::IsModuleNamespaceObject>),
    RawFn("isNativeError", &Check<&v8::Value::IsNativeError>),
    RawFn("isNumberObject", &Check<&v8::Value::IsNumberObject>),
    RawFn("isPromise", &Check<&v8::Value::IsPromise>),
    RawFn("isProxy", &Check<&v8::Value::IsProxy>),
    RawFn("isRegExp", &Check<&v8::Value::IsRegExp>),
    RawFn("isSet", &Check<&v8::Value::IsSet>),
    RawFn("isSetIterator", &Check<&v8::Value::IsSetIterator>),
    RawFn("isSharedArrayBuffer", &Check<&v8::Value::IsSharedArrayBuffer>),
    RawFn("isStringObject", &Check<&v8::Value::IsStringObject>),
    RawFn("isSymbolObject", &Check<&v8::Value::IsSymbolObject>),
    RawFn("isWeakMap", &Check<&v8::Value::IsWeakMap>),
    RawFn("isWeakSet", &Check<&v8::Value::IsWeakSet>),
    RawFn("isAnyArrayBuffer", &IsAnyArrayBuffer),
    RawFn("isBoxedPrimitive", &IsBoxedPrimitive),
    RawFn("kindOf", &KindOf),
};

}  // namespace

extern const NativeModule kTypesModule = {.name = "types", .functions = kFunctions, .classes = {}, .init = &Init};

}  // namespace gyre::modules

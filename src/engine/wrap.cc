#include "engine/wrap.h"

#include "base/check.h"

namespace gyre::engine {

namespace {
// Stands in the first internal field of every wrapper, so that foreign objects with internal fields are told apart.
alignas(16) const int kMarker[4] = {};
void* Marker() { return const_cast<int*>(&kMarker[0]); }
}  // namespace

struct WrapList {
  explicit WrapList(Realm&) {}
  Wrap* first = nullptr;

  void Add(Wrap* wrap) {
    wrap->next_ = first;
    if (first != nullptr) first->previous_ = wrap;
    first = wrap;
  }
  void Remove(Wrap* wrap) {
    if (wrap->previous_ != nullptr) wrap->previous_->next_ = wrap->next_;
    if (wrap->next_ != nullptr) wrap->next_->previous_ = wrap->previous_;
    if (first == wrap) first = wrap->next_;
  }
};

Wrap::Wrap(Realm& realm, v8::Local<v8::Object> object, const NativeClass* tag)
    : realm_(realm), tag_(tag), object_(realm.isolate(), object) {
  CHECK(object->InternalFieldCount() >= kFieldCount);
  object->SetAlignedPointerInInternalField(0, Marker());
  object->SetAlignedPointerInInternalField(1, this);
  realm.Slot<WrapList>().Add(this);
  MakeWeak();
}

Wrap::~Wrap() {
  realm_.Slot<WrapList>().Remove(this);
  if (object_.IsEmpty()) return;
  v8::HandleScope handles(realm_.isolate());
  object_.Get(realm_.isolate())->SetAlignedPointerInInternalField(1, nullptr);
  object_.Reset();
}

void Wrap::MakeWeak() { object_.SetWeak(this, &Wrap::Collected, v8::WeakCallbackType::kParameter); }

void Wrap::Collected(const v8::WeakCallbackInfo<Wrap>& info) {
  Wrap* wrap = info.GetParameter();
  wrap->object_.Reset();
  info.SetSecondPassCallback([](const v8::WeakCallbackInfo<Wrap>& second) { second.GetParameter()->OnCollect(); });
}

void Wrap::Pin() {
  if (pins_++ == 0) object_.ClearWeak();
}

void Wrap::Unpin() {
  CHECK(pins_ > 0);
  if (--pins_ == 0) MakeWeak();
}

Wrap* Wrap::From(v8::Local<v8::Value> value, const NativeClass* tag) {
  if (value.IsEmpty() || !value->IsObject()) return nullptr;
  v8::Local<v8::Object> object = value.As<v8::Object>();
  if (object->InternalFieldCount() < kFieldCount || object->GetAlignedPointerFromInternalField(0) != Marker()) return nullptr;
  auto* wrap = static_cast<Wrap*>(object->GetAlignedPointerFromInternalField(1));
  if (wrap == nullptr) return nullptr;
  for (const NativeClass* spec = wrap->tag_; spec != nullptr; spec = spec->parent) {
    if (spec == tag) return wrap;
  }
  return nullptr;
}

void Wrap::ThrowInvalidThis(const Info& info, const char*) {
  Js js(info);
  // V8's own words for it, which programs know of native methods.
  js.ThrowTypeError("Illegal invocation");
}

v8::MaybeLocal<v8::Object> Wrap::NewInstance(Js& js, const NativeClass& spec) {
  return js.realm.ClassTemplate(spec)->InstanceTemplate()->NewInstance(js.context);
}

void Wrap::DestroyAll(Realm& realm) {
  WrapList& list = realm.Slot<WrapList>();
  while (list.first != nullptr) delete list.first;
}

}  // namespace gyre::engine

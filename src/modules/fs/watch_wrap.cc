#include "modules/fs/watch_wrap.h"

namespace gyre::modules::fs {
namespace {

void Construct(const Info& info) {
  Js js(info);
  new FsWatchWrap(js.realm, info.This());
}

constexpr NativeFunction kMethods[] = {
    Method<&FsWatchWrap::Start>("start"), Method<&FsWatchWrap::Close>("close"),   Method<&FsWatchWrap::Ref>("ref"),
    Method<&FsWatchWrap::Unref>("unref"), Method<&FsWatchWrap::HasRef>("hasRef"),
};
constexpr NativeAccessor kAccessors[] = {Getter<&FsWatchWrap::Initialized>("initialized")};

}  // namespace

const NativeClass FsWatchWrap::kClass = {
    .name = "FSEvent", .construct = &Construct, .methods = kMethods, .accessors = kAccessors};

int32_t FsWatchWrap::Start(Js& js, std::string path) {
  if (handle_ != nullptr) return 0;
  handle_ = loop::FsEventHandle::Create(js.realm.loop(),
                                        [this](uint32_t events, std::string_view name) { Emit(events, name); });
  base::Result<void> started = handle_->Start(path);
  if (!started.has_value()) {
    handle_.reset();
    return -started.error().err;
  }
  Pin();
  return 0;
}

void FsWatchWrap::Close(Js&) {
  if (handle_ == nullptr) return;
  handle_.reset();
  async_context_.EmitDestroy(realm());
  Unpin();
}

void FsWatchWrap::Ref(Js&) {
  if (handle_ != nullptr) handle_->Ref();
}

void FsWatchWrap::Unref(Js&) {
  if (handle_ != nullptr) handle_->Unref();
}

bool FsWatchWrap::HasRef(Js&) { return handle_ != nullptr && handle_->HasRef(); }

void FsWatchWrap::Emit(uint32_t events, std::string_view name) {
  // JavaScript may close the watch, even drop it; the name may lie in memory of the handle.
  std::string owned(name);
  bool rename = (events & loop::kFsRename) != 0;
  EmitOne(rename ? "rename" : "change", owned);
}

void FsWatchWrap::EmitOne(const char* type, std::string_view name) {
  bridge::JsScope scope(realm(), async_context_);
  Js& js = scope.js();
  v8::Local<v8::Value> bytes = js.Null();
  v8::Local<v8::Object> buffer;
  auto view = std::span(reinterpret_cast<const uint8_t*>(name.data()), name.size());
  if (!name.empty() && MakeBuffer(js, view).ToLocal(&buffer)) bytes = buffer;
  v8::Local<v8::Value> argv[] = {js.Int(0), js.Str(type), bytes};
  (void)bridge::CallMethod(js, object(), "onchange", 3, argv);
}

}  // namespace gyre::modules::fs

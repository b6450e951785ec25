#include "web/wasm_streaming.h"

#include <v8-wasm.h>

#include "bridge/module.h"

namespace gyre::modules {

namespace {

/// The sink of one compilation.
class WasmSink : public Wrap {
 public:
  static const NativeClass kClass;

  WasmSink(Js& js, v8::Local<v8::Object> object, std::shared_ptr<v8::WasmStreaming> streaming)
      : Wrap(js.realm, object, &kClass), streaming_(std::move(streaming)) {}
  ~WasmSink() override {
    if (streaming_ != nullptr) streaming_->Abort({});
  }

  void SetUrl(Js&, std::string url) {
    if (streaming_ != nullptr) streaming_->SetUrl(url.data(), url.size());
  }

  void Push(Js&, BufferView bytes) {
    if (streaming_ != nullptr) streaming_->OnBytesReceived(bytes.data(), bytes.size());
  }

  void Finish(Js&) {
    if (std::shared_ptr<v8::WasmStreaming> streaming = std::move(streaming_)) streaming->Finish();
  }

  void Abort(Js&, v8::Local<v8::Value> error) {
    if (std::shared_ptr<v8::WasmStreaming> streaming = std::move(streaming_)) streaming->Abort(error);
  }

 private:
  std::shared_ptr<v8::WasmStreaming> streaming_;
};

constexpr NativeFunction kSinkMethods[] = {
    Method<&WasmSink::SetUrl>("setUrl"),
    Method<&WasmSink::Push>("push"),
    Method<&WasmSink::Finish>("finish"),
    Method<&WasmSink::Abort>("abort"),
};
const NativeClass WasmSink::kClass = {.name = "WasmSink", .methods = kSinkMethods};

constexpr const NativeClass* kClasses[] = {&WasmSink::kClass};

}  // namespace

void StartWasmStreaming(const v8::FunctionCallbackInfo<v8::Value>& info) {
  Js js(info);
  std::shared_ptr<v8::WasmStreaming> streaming = v8::WasmStreaming::Unpack(js.isolate, info.Data());
  v8::Local<v8::Object> sink;
  if (!Wrap::NewInstance(js, WasmSink::kClass).ToLocal(&sink)) return;
  new WasmSink(js, sink, std::move(streaming));
  v8::Local<v8::Function> require = js.realm.hook_function(Hook::kRequireBuiltin);
  v8::Local<v8::Value> id = js.Str("#web/wasm_streaming");
  v8::Local<v8::Value> exports;
  v8::Local<v8::Value> read;
  if (require.IsEmpty() || !require->Call(js.context, js.Undefined(), 1, &id).ToLocal(&exports)) return;
  if (!exports->IsObject() || !js.Get(exports.As<v8::Object>(), "read").ToLocal(&read) || !read->IsFunction()) return;
  v8::Local<v8::Value> argv[] = {sink, info[0]};
  (void)read.As<v8::Function>()->Call(js.context, js.Undefined(), 2, argv);
}

extern const NativeModule kWasmStreamingModule;
const NativeModule kWasmStreamingModule = {
    .name = "wasm_streaming", .functions = {}, .classes = kClasses, .init = nullptr};

}  // namespace gyre::modules

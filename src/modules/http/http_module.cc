// The native half of node:http.

#include "codec/http1.h"
#include "modules/http/http_parser.h"
#include "modules/http/native_server.h"

namespace gyre::modules {

namespace {

namespace http1 = codec::http1;

struct Constant {
  const char* name;
  int value;
};

constexpr Constant kParserConstants[] = {
    {"REQUEST", HttpParserWrap::kRequest},
    {"RESPONSE", HttpParserWrap::kResponse},
    {"kOnMessageBegin", HttpParserWrap::kOnMessageBegin},
    {"kOnHeaders", HttpParserWrap::kOnHeaders},
    {"kOnHeadersComplete", HttpParserWrap::kOnHeadersComplete},
    {"kOnBody", HttpParserWrap::kOnBody},
    {"kOnMessageComplete", HttpParserWrap::kOnMessageComplete},
    {"kOnExecute", HttpParserWrap::kOnExecute},
    {"kOnTimeout", HttpParserWrap::kOnTimeout},
    {"kLenientNone", 0},
    {"kLenientHeaders", http1::kLenientHeaders},
    {"kLenientChunkedLength", http1::kLenientChunkedLength},
    {"kLenientKeepAlive", http1::kLenientKeepAlive},
    {"kLenientTransferEncoding", http1::kLenientTransferEncoding},
    {"kLenientVersion", http1::kLenientVersion},
    {"kLenientDataAfterClose", http1::kLenientDataAfterClose},
    {"kLenientOptionalLFAfterCR", http1::kLenientOptionalLfAfterCr},
    {"kLenientOptionalCRLFAfterChunk", http1::kLenientOptionalCrlfAfterChunk},
    {"kLenientOptionalCRBeforeLF", http1::kLenientOptionalCrBeforeLf},
    {"kLenientSpacesAfterChunkSize", http1::kLenientSpacesAfterChunkSize},
    {"kLenientAll", http1::kLenientAll},
};

void AddConstants(Js& js, v8::Local<v8::Object> target) {
  v8::Local<v8::Value> parser;
  if (!js.Get(target, "HTTPParser").ToLocal(&parser) || !parser->IsObject()) return;
  for (const Constant& constant : kParserConstants) {
    if (!js.Set(parser.As<v8::Object>(), constant.name, js.Int(constant.value))) return;
  }
  constexpr int kCount = static_cast<int>(http1::Method::kCount);
  v8::Local<v8::Array> methods = v8::Array::New(js.isolate, kCount);
  for (int i = 0; i < kCount; i++) {
    v8::Local<v8::String> name = js.Name(http1::MethodName(static_cast<http1::Method>(i)));
    if (!js.Set(methods, static_cast<uint32_t>(i), name)) return;
  }
  v8::Local<v8::Object> phrases = js.Object();
  for (int status = 100; status < 600; status++) {
    std::string_view phrase = http1::StatusPhrase(status);
    if (!phrase.empty() && !js.Set(phrases, static_cast<uint32_t>(status), js.Str(phrase))) return;
  }
  if (js.Set(target, "methods", methods)) js.Set(target, "statusCodes", phrases);
}

constexpr const NativeClass* kClasses[] = {&HttpParserWrap::kClass, &NativeServerWrap::kClass,
                                           &HttpConnectionWrap::kClass};
constexpr NativeFunction kFunctions[] = {
    RawFn("setServerCallbacks", &SetServerCallbacks, 1),
    RawFn("parseHeaderBlock", &ParseHeaderBlock, 1),
    RawFn("turnFields", &TurnFields, 0),
};

}  // namespace

extern const NativeModule kHttpModule = {
    .name = "http", .functions = kFunctions, .classes = kClasses, .init = &AddConstants};

}  // namespace gyre::modules

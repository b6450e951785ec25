// HTTPParser: the HTTP/1 codec as JavaScript drives it, for sockets that the native server core does not own: every
// client, TLS, and whatever Duplex a program hands to a server.
//
// Events go to the functions at the indices kOn... of the JavaScript object. A callback may close, free or reuse the
// parser: `execute` stops then, see `epoch_`.
//
// Thread: the isolate's. Owner: the JavaScript object.
#ifndef GYRE_MODULES_HTTP_HTTP_PARSER_H_
#define GYRE_MODULES_HTTP_HTTP_PARSER_H_

#include <string>

#include "bridge/module.h"
#include "codec/http1.h"

namespace gyre::modules {

class HttpParserWrap final : public Wrap {
 public:
  static const NativeClass kClass;
  enum Callback : uint32_t { kOnMessageBegin, kOnHeaders, kOnHeadersComplete, kOnBody, kOnMessageComplete, kOnExecute,
                             kOnTimeout };
  static constexpr int kRequest = 1;
  static constexpr int kResponse = 2;

  HttpParserWrap(Realm& realm, v8::Local<v8::Object> object);

  void Initialize(Js& js, const Info& info);
  void Execute(Js& js, const Info& info);
  void Finish(Js& js, const Info& info);
  void Close(Js& js, const Info& info);
  void Nothing(Js& js, const Info& info);
  void GetCurrentBuffer(Js& js, const Info& info);

 private:
  enum class Outcome : uint8_t { kGoOn, kStop, kThrown };
  Outcome Tell(Js& js, Callback which, int argc, v8::Local<v8::Value>* argv, v8::Local<v8::Value>* result = nullptr);
  Outcome Deliver(Js& js, codec::http1::Event event);
  Outcome DeliverHead(Js& js);
  Outcome DeliverComplete(Js& js);
  Outcome MaybeBegin(Js& js);
  v8::MaybeLocal<v8::Value> MakeError(Js& js, size_t parsed);

  codec::http1::Parser parser_;
  /// Grows whenever somebody else may have taken the parser over.
  uint32_t epoch_ = 0;
  bool begun_ = false;
  std::string current_;
};

/// Field lines as [name, value, name, value, ...].
v8::Local<v8::Array> FieldArray(Js& js, const codec::http1::FieldBlock& block);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_HTTP_HTTP_PARSER_H_

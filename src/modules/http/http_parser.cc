#include "modules/http/http_parser.h"

namespace gyre::modules {

namespace http1 = codec::http1;

HttpParserWrap::HttpParserWrap(Realm& realm, v8::Local<v8::Object> object)
    : Wrap(realm, object, &kClass), parser_(http1::Kind::kRequest) {}

/// A folded value in one line: RFC 9112 5.2.
static v8::Local<v8::String> ValueString(Js& js, std::string_view value) {
  if (value.find('\r') == std::string_view::npos) return js.Latin1(value);
  std::string joined;
  bool at_fold = false;
  for (char c : value) {
    if (c == '\r' || c == '\n') {
      at_fold = true;
    } else if (!at_fold || (c != ' ' && c != '\t')) {
      if (at_fold) joined += ' ';
      at_fold = false;
      joined += c;
    }
  }
  return js.Latin1(joined);
}

v8::Local<v8::Array> FieldArray(Js& js, const http1::FieldBlock& block) {
  std::vector<v8::Local<v8::Value>> values;
  values.reserve(block.fields.size() * 2);
  for (const http1::Field& field : block.fields) {
    values.push_back(js.Latin1(block.name(field)));
    values.push_back(ValueString(js, block.value(field)));
  }
  return v8::Array::New(js.isolate, values.data(), values.size());
}

/// initialize(type, resource, maxHeaderSize, lenientFlags)
void HttpParserWrap::Initialize(Js& js, const Info& info) {
  int type = info[0]->IsInt32() ? info[0].As<v8::Int32>()->Value() : kRequest;
  http1::Limits limits;
  if (info[2]->IsNumber() && info[2].As<v8::Number>()->Value() > 0) {
    limits.header_bytes = static_cast<uint32_t>(std::min(info[2].As<v8::Number>()->Value(), 1e9));
  }
  uint32_t lenient = info[3]->IsInt32() ? static_cast<uint32_t>(info[3].As<v8::Int32>()->Value()) : 0;
  epoch_++;
  begun_ = false;
  parser_.Reset(type == kResponse ? http1::Kind::kResponse : http1::Kind::kRequest, limits, lenient);
}

/// execute(buffer) -> number of bytes read, or an Error
void HttpParserWrap::Execute(Js& js, const Info& info) {
  // The memory is kept, whatever the callbacks do to the buffer.
  std::optional<PinnedBuffer> buffer = PinnedBuffer::From(info[0]);
  if (!buffer) return js.ThrowTypeError("Argument must be a buffer");
  uint32_t epoch = ++epoch_;
  std::string_view input(reinterpret_cast<const char*>(buffer->data()), buffer->size());
  size_t size = input.size();
  while (!input.empty() || parser_.in_message()) {
    if (!input.empty() && MaybeBegin(js) != Outcome::kGoOn) {
      if (epoch != epoch_) break;
      return;
    }
    http1::Event event = parser_.Next(&input);
    if (event == http1::Event::kNeedMore || event == http1::Event::kUpgraded) break;
    if (event == http1::Event::kError) {
      current_.assign(reinterpret_cast<const char*>(buffer->data()), size);
      return Return(js, info, MakeError(js, size - input.size()));
    }
    Outcome outcome = Deliver(js, event);
    if (outcome == Outcome::kThrown) return;
    if (epoch != epoch_) break;
  }
  info.GetReturnValue().Set(static_cast<double>(size - input.size()));
}

/// A message begins with its first byte that is no empty line.
HttpParserWrap::Outcome HttpParserWrap::MaybeBegin(Js& js) {
  if (begun_ || parser_.in_message() || parser_.failed()) return Outcome::kGoOn;
  begun_ = true;
  return Tell(js, kOnMessageBegin, 0, nullptr);
}

/// finish() -> undefined, or an Error
void HttpParserWrap::Finish(Js& js, const Info& info) {
  if (parser_.failed()) return;  // it has been told
  uint32_t epoch = ++epoch_;
  http1::Event event = parser_.Finish();
  if (event == http1::Event::kError) return Return(js, info, MakeError(js, 0));
  if (event == http1::Event::kComplete && epoch == epoch_) DeliverComplete(js);
}

void HttpParserWrap::Close(Js&, const Info&) { epoch_++; }
void HttpParserWrap::Nothing(Js&, const Info&) {}

void HttpParserWrap::GetCurrentBuffer(Js& js, const Info& info) {
  Return(js, info, MakeBuffer(js, {reinterpret_cast<const uint8_t*>(current_.data()), current_.size()}));
}

HttpParserWrap::Outcome HttpParserWrap::Tell(Js& js, Callback which, int argc, v8::Local<v8::Value>* argv,
                                             v8::Local<v8::Value>* result) {
  v8::Local<v8::Object> self = object();
  v8::Local<v8::Value> function;
  if (!self->Get(js.context, which).ToLocal(&function)) return Outcome::kThrown;
  if (!function->IsFunction()) return Outcome::kGoOn;
  v8::Local<v8::Value> value;
  if (!function.As<v8::Function>()->Call(js.context, self, argc, argv).ToLocal(&value)) return Outcome::kThrown;
  if (result != nullptr) *result = value;
  return Outcome::kGoOn;
}

HttpParserWrap::Outcome HttpParserWrap::Deliver(Js& js, http1::Event event) {
  v8::HandleScope handles(js.isolate);
  switch (event) {
    case http1::Event::kHead: return DeliverHead(js);
    case http1::Event::kBody: {
      std::string_view body = parser_.body();
      v8::Local<v8::Object> chunk;
      if (!MakeBuffer(js, {reinterpret_cast<const uint8_t*>(body.data()), body.size()}).ToLocal(&chunk)) {
        return Outcome::kThrown;
      }
      v8::Local<v8::Value> argv[] = {chunk};
      return Tell(js, kOnBody, 1, argv);
    }
    case http1::Event::kComplete: return DeliverComplete(js);
    default: return Outcome::kGoOn;
  }
}

HttpParserWrap::Outcome HttpParserWrap::DeliverHead(Js& js) {
  const http1::Head& head = parser_.head();
  bool request = head.status == 0;
  v8::Local<v8::Value> none = js.Undefined();
  v8::Local<v8::Value> argv[] = {
      js.Int(head.major),
      js.Int(head.minor),
      FieldArray(js, head.headers),
      request ? v8::Local<v8::Value>(js.Int(static_cast<int>(head.method))) : none,
      request ? v8::Local<v8::Value>(js.Latin1(head.target)) : none,
      request ? none : v8::Local<v8::Value>(js.Int(head.status)),
      request ? none : v8::Local<v8::Value>(js.Latin1(head.reason)),
      js.Bool(head.upgrade),
      js.Bool(head.keep_alive),
  };
  uint32_t epoch = epoch_;
  v8::Local<v8::Value> answer = none;
  Outcome outcome = Tell(js, kOnHeadersComplete, static_cast<int>(std::size(argv)), argv, &answer);
  if (outcome != Outcome::kGoOn || epoch != epoch_) return outcome;
  int rule = answer->IsInt32() ? answer.As<v8::Int32>()->Value() : 0;
  if (rule == 1) parser_.SetBodyRule(http1::BodyRule::kNone);
  if (rule == 2) parser_.SetBodyRule(http1::BodyRule::kUpgrade);
  return Outcome::kGoOn;
}

HttpParserWrap::Outcome HttpParserWrap::DeliverComplete(Js& js) {
  begun_ = false;
  uint32_t epoch = epoch_;
  if (!parser_.trailers().fields.empty()) {
    v8::Local<v8::Value> argv[] = {FieldArray(js, parser_.trailers()), js.Str("")};
    Outcome outcome = Tell(js, kOnHeaders, 2, argv);
    if (outcome != Outcome::kGoOn || epoch != epoch_) return outcome;
  }
  return Tell(js, kOnMessageComplete, 0, nullptr);
}

v8::MaybeLocal<v8::Value> HttpParserWrap::MakeError(Js& js, size_t parsed) {
  v8::Local<v8::Value> error = v8::Exception::Error(js.Str("Parse Error"));
  v8::Local<v8::Object> object = error.As<v8::Object>();
  if (!js.Set(object, "bytesParsed", js.Num(static_cast<double>(parsed))) ||
      !js.Set(object, "code", js.Name(http1::ErrorName(parser_.error()))) ||
      !js.Set(object, "reason", js.Name(parser_.reason()))) {
    return {};
  }
  return error;
}

namespace {

void Construct(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall()) {
    return js.ThrowTypeError("Class constructor HTTPParser cannot be invoked without 'new'");
  }
  new HttpParserWrap(js.realm, info.This());
}

constexpr NativeFunction kMethods[] = {
    RawMethod<&HttpParserWrap::Close>("close"),
    RawMethod<&HttpParserWrap::Close>("free"),
    RawMethod<&HttpParserWrap::Nothing>("remove"),
    RawMethod<&HttpParserWrap::Execute>("execute"),
    RawMethod<&HttpParserWrap::Finish>("finish"),
    RawMethod<&HttpParserWrap::Initialize>("initialize"),
    RawMethod<&HttpParserWrap::Nothing>("pause"),
    RawMethod<&HttpParserWrap::Nothing>("resume"),
    RawMethod<&HttpParserWrap::Nothing>("consume"),
    RawMethod<&HttpParserWrap::Nothing>("unconsume"),
    RawMethod<&HttpParserWrap::GetCurrentBuffer>("getCurrentBuffer"),
};

}  // namespace

const NativeClass HttpParserWrap::kClass = {.name = "HTTPParser", .construct = &Construct, .methods = kMethods};

}  // namespace gyre::modules

#include "modules/http/native_server.h"

#include <utility>

#include "modules/http/http_parser.h"

namespace gyre::modules {

namespace http1 = codec::http1;

namespace {

// What JavaScript reads in the flags of a request; the same constants stand in native_server.js.
enum RequestFlag : int32_t {
  kKeepAlive = 1,
  kUpgrade = 2,
  kHasBody = 4,
  kHasHost = 8,
  kHasExpect = 16,
  kHttp10 = 32,
  kBodyFields = 64,  // says something about a body, be it that there is none
};

int32_t FlagsOf(const http1::Head& head) {
  int32_t flags = 0;
  if (head.keep_alive) flags |= kKeepAlive;
  if (head.upgrade) flags |= kUpgrade;
  if (head.chunked || head.content_length.value_or(0) > 0) flags |= kHasBody;
  if (head.has_host) flags |= kHasHost;
  if (head.has_expect) flags |= kHasExpect;
  if (head.major == 1 && head.minor == 0) flags |= kHttp10;
  if (head.chunked || head.content_length.has_value()) flags |= kBodyFields;
  return flags;
}

uint64_t Hash(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
  return hash ^ (hash >> 29);
}

}  // namespace

// --- strings ----------------------------------------------------------------------------------------------------

v8::Local<v8::String> HttpState::Recurring(Js& js, std::string_view text) {
  constexpr size_t kLongest = 128;
  if (text.size() > kLongest) return js.Latin1(text);
  if (!recurring_) recurring_ = std::make_unique<std::array<Entry, kEntries>>();
  uint64_t hash = Hash(text);
  Entry& entry = (*recurring_)[hash % kEntries];
  if (entry.seen == hash && entry.text == text && !entry.string.IsEmpty()) return entry.string.Get(js.isolate);
  v8::Local<v8::String> string = js.Latin1(text);
  if (entry.seen == hash) {  // the second time: worth keeping
    entry.text.assign(text);
    entry.string.Reset(js.isolate, string);
  } else {
    entry.seen = hash;
  }
  return string;
}

v8::Local<v8::String> HttpState::Method(Js& js, http1::Method method) {
  v8::Global<v8::String>& known = methods_[static_cast<size_t>(method)];
  if (known.IsEmpty()) known.Reset(js.isolate, js.Name(http1::MethodName(method)));
  return known.Get(js.isolate);
}

void SetServerCallbacks(const Info& info) {
  Js js(info);
  HttpState& state = js.realm.Slot<HttpState>();
  if (!info[0]->IsArray()) return js.ThrowTypeError("setServerCallbacks takes an array");
  for (uint32_t i = 0; i < HttpState::kCallbackCount; i++) {
    v8::Local<v8::Value> function;
    if (!info[0].As<v8::Array>()->Get(js.context, i).ToLocal(&function)) return;
    if (!function->IsFunction()) return js.ThrowTypeError("setServerCallbacks takes functions");
    state.callbacks[i].Reset(js.isolate, function.As<v8::Function>());
  }
}

/// turnFields() -> Uint32Array: [0] 1 while the core is in a turn that entered JavaScript, [1] counts turns from 1.
void TurnFields(const Info& info) {
  Js js(info);
  js.realm.Slot<HttpState>().turns(js.realm);
  info.GetReturnValue().Set(js.realm.SharedArray<v8::Uint32Array>("http_turns", 2));
}

void ParseHeaderBlock(const Info& info) {
  Js js(info);
  if (!info[0]->IsString()) return js.ThrowTypeError("parseHeaderBlock takes a string");
  v8::Local<v8::String> text = info[0].As<v8::String>();
  auto size = static_cast<uint32_t>(text->Length());
  std::string block(size, '\0');
  text->WriteOneByteV2(js.isolate, 0, size, reinterpret_cast<uint8_t*>(block.data()));
  std::vector<v8::Local<v8::Value>> values;
  HttpState& state = js.realm.Slot<HttpState>();
  // The codec has checked it: each line is a name, a colon and a value with white space around it.
  std::string_view rest = block;
  while (!rest.empty()) {
    size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
    values.push_back(state.Recurring(js, line.substr(0, colon)));
    values.push_back(js.Latin1(value));
  }
  info.GetReturnValue().Set(v8::Array::New(js.isolate, values.data(), values.size()));
}

void FlushHttpAnswers(Realm& realm) {
  for (NativeServerWrap* server : realm.Slot<HttpState>().servers) {
    server->core().ForEach([](http::Connection& connection) { connection.Flush(); });
  }
}

// --- the server -------------------------------------------------------------------------------------------------

NativeServerWrap::NativeServerWrap(Js& js, v8::Local<v8::Object> object, v8::Local<v8::Object>)
    : Wrap(js.realm, object, &kClass),
      core_(js.realm.loop(), *this, {}),
      context_(bridge::AsyncContext::Current(js.isolate)) {
  js.realm.Slot<HttpState>().servers.push_back(this);
}

NativeServerWrap::~NativeServerWrap() {
  std::erase(realm().Slot<HttpState>().servers, this);
  core_.ForEach([](http::Connection& connection) {
    auto* wrap = static_cast<HttpConnectionWrap*>(connection.user);
    if (wrap != nullptr) wrap->connection_ = nullptr;
    // What was answered before the end still goes out.
    connection.Flush();
  });
}

bool NativeServerWrap::Attach(Js&, v8::Local<v8::Value> handle) {
  StreamWrap* listener = Wrap::From<TcpWrap>(handle);
  transport_ = listener != nullptr ? http::Server::Transport::kTcp : http::Server::Transport::kPipe;
  if (listener == nullptr) listener = Wrap::From<PipeWrap>(handle);
  if (listener == nullptr) return false;
  listener->SetAcceptor(this);
  attached_ = true;
  UpdatePin();
  return true;
}

void NativeServerWrap::Detach(Js&, v8::Local<v8::Value> handle) {
  StreamWrap* listener = Wrap::From<TcpWrap>(handle);
  if (listener == nullptr) listener = Wrap::From<PipeWrap>(handle);
  if (listener != nullptr) listener->SetAcceptor(nullptr);
  attached_ = false;
  UpdatePin();
}

void NativeServerWrap::UpdatePin() {
  bool wanted = attached_ || core_.connection_count() > 0;
  if (wanted == pinned_) return;
  pinned_ = wanted;
  if (wanted) {
    Pin();
  } else {
    Unpin();
  }
}

/// configure(maxHeaderSize, lenientFlags, noDelay, idleMs, keepAliveSeconds, tcpKeepAlive, tcpKeepAliveDelay)
void NativeServerWrap::Configure(Js& js, const Info& info) {
  auto number = [&](int index) {
    double value = info[index]->IsNumber() ? info[index].As<v8::Number>()->Value() : 0;
    return value > 0 && value < 4e9 ? static_cast<uint32_t>(value) : 0u;
  };
  http::ServerOptions& options = core_.options();
  if (number(0) > 0) options.limits.header_bytes = number(0);
  options.lenient = number(1);
  options.no_delay = info[2]->IsTrue();
  options.idle_ms = number(3);
  keep_alive_seconds_ = number(4);
  options.tcp_keep_alive = info[5]->IsTrue();
  options.tcp_keep_alive_delay = number(6);
}

v8::Local<v8::Array> NativeServerWrap::Expired(Js& js, double head_ms, double request_ms) {
  std::vector<v8::Local<v8::Value>> expired;
  uint64_t now = realm().loop().now();
  core_.ForEach([&](http::Connection& connection) {
    uint64_t start = connection.message_start_ms();
    if (connection.closed() || start == 0 || now < start) return;
    double age = static_cast<double>(now - start);
    bool head_late = !connection.head_complete() && head_ms > 0 && age >= head_ms;
    if (!head_late && (request_ms <= 0 || age < request_ms)) return;
    v8::Local<v8::Value> object = ObjectOf(js, connection);
    auto* wrap = static_cast<HttpConnectionWrap*>(connection.user);
    if (wrap == nullptr || std::exchange(wrap->expired_start_, start) == start) return;
    expired.push_back(object);
  });
  return v8::Array::New(js.isolate, expired.data(), expired.size());
}

v8::Local<v8::Array> NativeServerWrap::CloseConnections(Js& js, bool idle_only) {
  std::vector<v8::Local<v8::Value>> known;
  core_.ForEach([&](http::Connection& connection) {
    if (connection.closed() || (idle_only && !connection.idle())) return;
    if (connection.user != nullptr) known.push_back(static_cast<HttpConnectionWrap*>(connection.user)->object());
    if (idle_only) {
      connection.CloseSoon();
    } else {
      connection.Flush();
      connection.Close();
    }
  });
  return v8::Array::New(js.isolate, known.data(), known.size());
}

bool NativeServerWrap::Accept(base::OwnedFd& fd) {
  enum Decision : int { kNative = 0, kJavaScript = 1, kRefuse = 2, kNativeAndTell = 3 };
  int decision = kNative;
  {
    bridge::JsScope scope(realm(), context_);
    Js& js = scope.js();
    v8::Local<v8::Value> answer;
    if (!Tell(js, HttpState::kOnAccept, 0, nullptr).ToLocal(&answer) || realm().terminating) return false;
    if (answer->IsInt32()) decision = answer.As<v8::Int32>()->Value();
  }
  if (decision == kJavaScript) return false;
  if (decision == kRefuse) {
    fd.Reset();
    return true;
  }
  http::Connection* connection = core_.Accept(std::move(fd), transport_);
  if (connection == nullptr) {
    // It was counted; nobody else will say that it is gone.
    bridge::JsScope scope(realm(), context_);
    v8::Local<v8::Value> argv[] = {scope.js().Undefined()};
    (void)Tell(scope.js(), HttpState::kOnClosed, 1, argv);
  }
  UpdatePin();
  if (connection != nullptr && decision == kNativeAndTell) {
    BeginTurn(*connection);
    TellPlain(*connection, HttpState::kOnConnection);
    EndTurn(*connection);
  }
  return true;
}

// --- turns ------------------------------------------------------------------------------------------------------

void NativeServerWrap::BeginTurn(http::Connection&) { turns_++; }

void NativeServerWrap::EndTurn(http::Connection&) {
  if (--turns_ != 0 || !scope_) return;
  // The field stays set while the queues run: what is done there belongs to the turn.
  scope_.reset();
  uint32_t* turns = realm().Slot<HttpState>().turns(realm());
  turns[0] = 0;
  turns[1]++;
}

Js* NativeServerWrap::Enter() {
  if (realm().terminating) return nullptr;
  if (!scope_) {
    scope_.emplace(realm(), context_);
    realm().Slot<HttpState>().turns(realm())[0] = 1;
  }
  return &scope_->js();
}

/// As after any callback: what a handler left in the queues runs before the next event, also within one read.
void NativeServerWrap::AfterCallback(Js& js) {
  if (realm().terminating || turns_ != 1) return;
  bridge::DrainTicks(js);
  realm().Slot<HttpState>().turns(realm())[1]++;
}

v8::MaybeLocal<v8::Value> NativeServerWrap::Tell(Js& js, HttpState::Callback which, int argc,
                                                 v8::Local<v8::Value>* argv) {
  v8::Global<v8::Function>& function = realm().Slot<HttpState>().callbacks[which];
  if (function.IsEmpty()) return {};
  return bridge::Call(js, function.Get(js.isolate), object(), argc, argv);
}

v8::Local<v8::Value> NativeServerWrap::ObjectOf(Js& js, http::Connection& connection) {
  auto* wrap = static_cast<HttpConnectionWrap*>(connection.user);
  if (wrap != nullptr) return wrap->object();
  v8::Local<v8::Object> object;
  if (!Wrap::NewInstance(js, HttpConnectionWrap::kClass).ToLocal(&object)) return js.Null();
  connection.user = new HttpConnectionWrap(js, object, *this, connection);
  return object;
}

void NativeServerWrap::TellPlain(http::Connection& connection, HttpState::Callback which) {
  Js* js = Enter();
  if (js == nullptr) return;
  v8::HandleScope handles(js->isolate);
  v8::Local<v8::Value> argv[] = {ObjectOf(*js, connection)};
  (void)Tell(*js, which, 1, argv);
}

// --- events of the core -----------------------------------------------------------------------------------------

http::Verdict NativeServerWrap::OnRequest(http::Connection& connection, const http1::Head& head) {
  Js* js = Enter();
  if (js == nullptr) return http::Verdict::kServe;
  v8::HandleScope handles(js->isolate);
  HttpState& state = realm().Slot<HttpState>();
  v8::Local<v8::Value> object = ObjectOf(*js, connection);
  auto* wrap = static_cast<HttpConnectionWrap*>(connection.user);
  if (wrap == nullptr) return http::Verdict::kServe;
  v8::Local<v8::Value> argv[] = {
      object,
      state.Method(*js, head.method),
      state.Recurring(*js, head.target),
      wrap->BlockString(*js, head.headers.bytes),
      v8::Integer::New(js->isolate, FlagsOf(head)),
  };
  v8::Local<v8::Value> answer;
  bool called = Tell(*js, HttpState::kOnRequest, static_cast<int>(std::size(argv)), argv).ToLocal(&answer);
  AfterCallback(*js);
  return called && answer->IsTrue() ? http::Verdict::kUpgrade : http::Verdict::kServe;
}

void NativeServerWrap::OnBody(http::Connection& connection, std::string_view piece) {
  Js* js = Enter();
  if (js == nullptr) return;
  v8::HandleScope handles(js->isolate);
  v8::Local<v8::Object> chunk;
  if (!MakeBuffer(*js, {reinterpret_cast<const uint8_t*>(piece.data()), piece.size()}).ToLocal(&chunk)) {
    return connection.Close();
  }
  v8::Local<v8::Value> argv[] = {ObjectOf(*js, connection), chunk};
  (void)Tell(*js, HttpState::kOnBody, 2, argv);
  AfterCallback(*js);
}

void NativeServerWrap::OnRequestEnd(http::Connection& connection, const http1::FieldBlock& trailers) {
  // A request without a body was told to be one when its head was.
  const http1::Head& head = connection.parser().head();
  if (!head.chunked && head.content_length.value_or(0) == 0) return;
  Js* js = Enter();
  if (js == nullptr) return;
  v8::HandleScope handles(js->isolate);
  v8::Local<v8::Value> fields = js->Undefined();
  if (!trailers.fields.empty()) fields = FieldArray(*js, trailers);
  v8::Local<v8::Value> argv[] = {ObjectOf(*js, connection), fields};
  (void)Tell(*js, HttpState::kOnRequestEnd, 2, argv);
  AfterCallback(*js);
}

void NativeServerWrap::OnUpgrade(http::Connection& connection, std::string_view rest) {
  Js* js = Enter();
  if (js == nullptr) return;
  v8::HandleScope handles(js->isolate);
  v8::Local<v8::Object> head;
  if (!MakeBuffer(*js, {reinterpret_cast<const uint8_t*>(rest.data()), rest.size()}).ToLocal(&head)) {
    return connection.Close();
  }
  v8::Local<v8::Value> argv[] = {ObjectOf(*js, connection), head};
  (void)Tell(*js, HttpState::kOnUpgrade, 2, argv);
}

void NativeServerWrap::OnParseError(http::Connection& connection, std::string_view packet, size_t parsed) {
  Js* js = Enter();
  if (js == nullptr) return connection.Close();
  v8::HandleScope handles(js->isolate);
  v8::Local<v8::Object> raw;
  if (!MakeBuffer(*js, {reinterpret_cast<const uint8_t*>(packet.data()), packet.size()}).ToLocal(&raw)) {
    return connection.Close();
  }
  v8::Local<v8::Value> argv[] = {ObjectOf(*js, connection), js->Name(http1::ErrorName(connection.parser().error())),
                                 js->Name(connection.parser().reason()), js->Num(static_cast<double>(parsed)), raw};
  (void)Tell(*js, HttpState::kOnParseError, 5, argv);
}

void NativeServerWrap::OnRawInput(http::Connection& connection, std::string_view input) {
  Js* js = Enter();
  if (js == nullptr) return;
  v8::HandleScope handles(js->isolate);
  v8::Local<v8::Object> chunk;
  if (!MakeBuffer(*js, {reinterpret_cast<const uint8_t*>(input.data()), input.size()}).ToLocal(&chunk)) return;
  v8::Local<v8::Value> argv[] = {ObjectOf(*js, connection), chunk};
  (void)Tell(*js, HttpState::kOnRaw, 2, argv);
}

void NativeServerWrap::OnPeerEnd(http::Connection& connection) { TellPlain(connection, HttpState::kOnPeerEnd); }

void NativeServerWrap::OnReadError(http::Connection& connection, const Error& error) {
  // Nobody in JavaScript has heard of it yet.
  if (connection.user == nullptr) return connection.Close();
  Js* js = Enter();
  if (js == nullptr) return connection.Close();
  v8::HandleScope handles(js->isolate);
  Error named = error;
  TellError(connection, js->SystemError(named.WithSyscall("read")));
}

void NativeServerWrap::OnWriteError(http::Connection& connection, const Error& error) {
  if (connection.user == nullptr) return connection.Close();
  Js* js = Enter();
  if (js == nullptr) return connection.Close();
  v8::HandleScope handles(js->isolate);
  Error named = error;
  TellError(connection, js->SystemError(named.WithSyscall("write")));
}

void NativeServerWrap::TellError(http::Connection& connection, v8::Local<v8::Value> error) {
  Js& js = *Enter();
  v8::Local<v8::Value> argv[] = {ObjectOf(js, connection), error};
  (void)Tell(js, HttpState::kOnError, 2, argv);
}

void NativeServerWrap::OnDrained(http::Connection& connection) {
  if (connection.user != nullptr) TellPlain(connection, HttpState::kOnDrained);
}

void NativeServerWrap::OnIdle(http::Connection& connection) {
  if (connection.user == nullptr) return connection.Close();
  TellPlain(connection, HttpState::kOnIdle);
}

void NativeServerWrap::OnClosed(http::Connection& connection) {
  auto* wrap = static_cast<HttpConnectionWrap*>(connection.user);
  connection.user = nullptr;
  if (wrap != nullptr) wrap->connection_ = nullptr;
  if (!realm().terminating) {
    bridge::JsScope scope(realm(), context_);
    Js& js = scope.js();
    v8::Local<v8::Value> argv[] = {js.Undefined()};
    if (wrap != nullptr) argv[0] = wrap->object();
    (void)Tell(js, HttpState::kOnClosed, 1, argv);
  }
  if (wrap != nullptr) wrap->Unpin();
  UpdatePin();
}

namespace {

/// new NativeServer(owner)
void ConstructServer(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall() || !info[0]->IsObject()) return js.ThrowTypeError("NativeServer takes its owner");
  new NativeServerWrap(js, info.This(), info[0].As<v8::Object>());
}

constexpr NativeFunction kServerMethods[] = {
    Method<&NativeServerWrap::Attach>("attach"),
    Method<&NativeServerWrap::Detach>("detach"),
    RawMethod<&NativeServerWrap::Configure>("configure"),
    Method<&NativeServerWrap::Expired>("expired"),
    Method<&NativeServerWrap::CloseConnections>("closeConnections"),
};

}  // namespace

const NativeClass NativeServerWrap::kClass = {
    .name = "NativeServer", .construct = &ConstructServer, .methods = kServerMethods};

}  // namespace gyre::modules

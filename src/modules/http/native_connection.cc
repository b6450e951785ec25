// HttpConnection: what JavaScript does with a connection of the server core: above all, answer.

#include <fcntl.h>

#include <charconv>
#include <ctime>

#include "modules/http/native_server.h"

namespace gyre::modules {

namespace http1 = codec::http1;

namespace {

// What JavaScript asks of `respond`; the same constants stand in native_server.js.
enum AnswerFlag : int32_t {
  kDate = 1,
  kKeepAliveLines = 2,
  kCloseLine = 4,
  kLengthLine = 8,
  kNoBody = 16,   // to a HEAD request, or 204 and 304
  kLast = 32,     // close afterwards
  kMore = 64,     // the body follows by write()
  kChunked = 128, // the body as one chunk
};

/// Buffers from this size on are written from where they are.
constexpr size_t kCopyLimit = 16 * 1024;

/// A Buffer's memory on its way out.
class BufferWrite final : public http::OwnedWrite {
 public:
  explicit BufferWrite(PinnedBuffer buffer) : buffer_(std::move(buffer)) {
    AddBuffer(buffer_.data(), buffer_.size());
  }

 private:
  PinnedBuffer buffer_;
};

/// "Date: ...\r\n", made once a second.
std::string_view DateLine() {
  thread_local time_t made_at = 0;
  thread_local char line[48];
  thread_local size_t size = 0;
  timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != made_at || size == 0) {
    tm parts;
    gmtime_r(&now.tv_sec, &parts);
    size = strftime(line, sizeof(line), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
    made_at = now.tv_sec;
  }
  return {line, size};
}

std::string_view Decimal(uint64_t value, char (&digits)[20]) {
  size_t at = sizeof(digits);
  do {
    digits[--at] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  return {digits + at, sizeof(digits) - at};
}

}  // namespace

HttpConnectionWrap::HttpConnectionWrap(Js& js, v8::Local<v8::Object> object, NativeServerWrap& server,
                                       http::Connection& connection)
    : Wrap(js.realm, object, &kClass), server_(&server), connection_(&connection) {
  Pin();
}

HttpConnectionWrap::~HttpConnectionWrap() {
  while (FileWrite* write = file_writes_.PopFront()) write->Forget();
  if (connection_ != nullptr) connection_->user = nullptr;
}

v8::Local<v8::String> HttpConnectionWrap::BlockString(Js& js, std::string_view block) {
  if (block == block_ && !block_string_.IsEmpty()) return block_string_.Get(js.isolate);
  block_.assign(block);
  v8::Local<v8::String> string = js.Latin1(block);
  block_string_.Reset(js.isolate, string);
  return string;
}

FileWrite::FileWrite(Js& js, v8::Local<v8::Object> owner, v8::Local<v8::Function> callback)
    : realm_(&js.realm),
      owner_(js.isolate, owner),
      callback_(js.isolate, callback),
      context_(bridge::AsyncContext::Current(js.isolate)) {}

void FileWrite::Forget() {
  realm_ = nullptr;
  owner_.Reset();
  callback_.Reset();
  context_ = {};
}

void FileWrite::Ended(const Result<void>& result) {
  base::ListNode<FileWrite>::Unlink();
  if (realm_ == nullptr || realm_->terminating) return;
  bridge::JsScope scope(*realm_, context_);
  Js& js = scope.js();
  v8::Local<v8::Value> argv[] = {js.Int(result ? file_error() : result.error().err),
                                 js.Num(static_cast<double>(file_sent()))};
  bridge::Call(js, callback_.Get(js.isolate), js.Undefined(), 2, argv);
}

// --- answering --------------------------------------------------------------------------------------------------

/// respond(status, phrase | undefined, fields, body, flags) -> bytes that wait in this process
void HttpConnectionWrap::Respond(Js& js, const Info& info) {
  if (connection_ == nullptr || connection_->closed()) return info.GetReturnValue().Set(0);
  if (!info[0]->IsInt32() || !info[2]->IsString() || !info[4]->IsInt32()) {
    return js.ThrowTypeError("respond(status, phrase, fields, body, flags)");
  }
  http::Connection& out = *connection_;
  int status = info[0].As<v8::Int32>()->Value();
  int flags = info[4].As<v8::Int32>()->Value();
  if (status == 200 && !info[1]->IsString()) {
    out.Append("HTTP/1.1 200 OK\r\n");
  } else {
    char digits[20];
    out.Append("HTTP/1.1 ");
    out.Append(Decimal(static_cast<uint64_t>(status), digits));
    out.Append(" ");
    if (info[1]->IsString()) {
      AppendText(js, info[1].As<v8::String>());
    } else {
      out.Append(http1::StatusPhrase(status));
    }
    out.Append("\r\n");
  }
  AppendText(js, info[2].As<v8::String>());
  if ((flags & kDate) != 0) out.Append(DateLine());
  if ((flags & kKeepAliveLines) != 0) {
    out.Append("Connection: keep-alive\r\n");
    if (server_->keep_alive_seconds() > 0) {
      char digits[20];
      out.Append("Keep-Alive: timeout=");
      out.Append(Decimal(server_->keep_alive_seconds(), digits));
      out.Append("\r\n");
    }
  } else if ((flags & kCloseLine) != 0) {
    out.Append("Connection: close\r\n");
  }
  AppendBody(js, (flags & kNoBody) != 0 ? js.Undefined().As<v8::Value>() : info[3], flags);
  if ((flags & kMore) == 0) {
    out.AnswerDone((flags & kLast) != 0 ? http::Connection::After::kClose : http::Connection::After::kKeep);
  }
  info.GetReturnValue().Set(static_cast<double>(out.pending()));
}

/// Appends text of latin1.
void HttpConnectionWrap::AppendText(Js& js, v8::Local<v8::String> text) {
  auto size = static_cast<uint32_t>(text->Length());
  if (size == 0) return;
  text->WriteOneByteV2(js.isolate, 0, size, reinterpret_cast<uint8_t*>(connection_->Extend(size)));
}

/// Ends the head, with what frames the body if asked for, and appends the body: a string as UTF-8, or a buffer.
void HttpConnectionWrap::AppendBody(Js& js, v8::Local<v8::Value> body, int flags) {
  http::Connection& out = *connection_;
  size_t size = 0;
  std::optional<BufferView> bytes;
  if (body->IsString()) {
    size = body.As<v8::String>()->Utf8LengthV2(js.isolate);
  } else {
    bytes = BytesOf(body);
    if (bytes) size = bytes->size();
  }
  bool chunked = (flags & kChunked) != 0;
  if (chunked) {
    out.Append("Transfer-Encoding: chunked\r\n\r\n");
    char digits[16];
    auto hex = std::to_chars(digits, digits + sizeof(digits), size, 16);
    if (size > 0) {
      out.Append({digits, static_cast<size_t>(hex.ptr - digits)});
      out.Append("\r\n");
    }
  } else if ((flags & kLengthLine) != 0) {
    char digits[20];
    out.Append("Content-Length: ");
    out.Append(Decimal(size, digits));
    out.Append("\r\n\r\n");
  } else {
    out.Append("\r\n");
  }
  if (bytes) {
    AppendBuffer(js, body, *bytes);
  } else if (size > 0) {
    AppendUtf8(js, body.As<v8::String>(), size);
  }
  if (chunked) out.Append(size > 0 ? "\r\n0\r\n\r\n" : "0\r\n\r\n");
}

void HttpConnectionWrap::AppendUtf8(Js& js, v8::Local<v8::String> text, size_t size) {
  char* to = connection_->Extend(size);
  if (size == static_cast<size_t>(text->Length()) && text->IsOneByte()) {
    text->WriteOneByteV2(js.isolate, 0, static_cast<uint32_t>(size), reinterpret_cast<uint8_t*>(to));
  } else {
    text->WriteUtf8V2(js.isolate, to, size, v8::String::WriteFlags::kReplaceInvalidUtf8);
  }
}

void HttpConnectionWrap::AppendBuffer(Js&, v8::Local<v8::Value> buffer, std::span<const uint8_t> bytes) {
  std::optional<PinnedBuffer> pinned;
  if (bytes.size() >= kCopyLimit) pinned = PinnedBuffer::From(buffer);
  if (pinned) {
    connection_->Write(std::make_unique<BufferWrite>(std::move(*pinned)));
  } else {
    connection_->Append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
}

/// write(data, latin1) -> bytes that wait in this process. A string is written as UTF-8 unless `latin1` is true.
void HttpConnectionWrap::WriteData(Js& js, const Info& info) {
  if (connection_ == nullptr || connection_->closed()) return info.GetReturnValue().Set(0);
  if (!info[0]->IsString()) {
    std::optional<BufferView> bytes = BytesOf(info[0]);
    if (!bytes) return js.ThrowTypeError("write takes a string or a buffer");
    AppendBuffer(js, info[0], *bytes);
  } else if (info[1]->IsTrue()) {
    AppendText(js, info[0].As<v8::String>());
  } else {
    v8::Local<v8::String> text = info[0].As<v8::String>();
    size_t size = text->Utf8LengthV2(js.isolate);
    if (size > 0) AppendUtf8(js, text, size);
  }
  info.GetReturnValue().Set(static_cast<double>(connection_->pending()));
}

/// sendFile(fd, position, size, keep, callback(errno, sent)) -> whether it will call back. At the descriptor's own position
/// where `position` is negative, up to `keep` bytes before the file's end; `fd` may be closed afterwards.
void HttpConnectionWrap::SendFile(Js& js, const Info& info) {
  if (!info[0]->IsInt32() || !info[1]->IsNumber() || !info[2]->IsNumber() || !info[3]->IsUint32() || !info[4]->IsFunction()) {
    return js.ThrowTypeError("sendFile(fd, position, size, keep, callback)");
  }
  info.GetReturnValue().Set(false);
  const double position = info[1].As<v8::Number>()->Value();
  const double size = info[2].As<v8::Number>()->Value();
  // Not more than what the kernel's types hold, by far.
  if (connection_ == nullptr || connection_->closed() || !(size >= 1 && size <= 1e15 && position <= 1e15)) return;
  base::OwnedFd file(fcntl(info[0].As<v8::Int32>()->Value(), F_DUPFD_CLOEXEC, 0));
  if (!file) return;
  auto write = std::make_unique<FileWrite>(js, object(), info[4].As<v8::Function>());
  write->SetFile(std::move(file), position < 0 ? -1 : static_cast<int64_t>(position), static_cast<size_t>(size),
                 info[3].As<v8::Uint32>()->Value());
  file_writes_.PushBack(write.get());
  info.GetReturnValue().Set(connection_->WriteFile(std::move(write)));
}

void HttpConnectionWrap::AnswerDone(Js&, bool close) {
  if (connection_ == nullptr) return;
  connection_->AnswerDone(close ? http::Connection::After::kClose : http::Connection::After::kKeep);
}

void HttpConnectionWrap::Flush(Js&) {
  if (connection_ != nullptr) connection_->Flush();
}

// --- the rest ---------------------------------------------------------------------------------------------------

void HttpConnectionWrap::Pause(Js&) {
  if (connection_ != nullptr) connection_->Pause();
}
void HttpConnectionWrap::Resume(Js&) {
  if (connection_ != nullptr) connection_->Resume();
}
void HttpConnectionWrap::SetRawInput(Js&, bool on) {
  if (connection_ != nullptr) connection_->SetRawInput(on);
}
void HttpConnectionWrap::Inject(Js&, std::string bytes) {
  if (connection_ != nullptr) connection_->Inject(bytes);
}
void HttpConnectionWrap::Close(Js&) {
  if (connection_ == nullptr) return;
  // What was written before goes out, as from a socket that writes at once.
  connection_->Flush();
  connection_->Close();
}
void HttpConnectionWrap::CloseSoon(Js&) {
  if (connection_ != nullptr) connection_->CloseSoon();
}
void HttpConnectionWrap::Reset(Js&) {
  if (connection_ != nullptr) connection_->Reset();
}
void HttpConnectionWrap::Shutdown(Js&) {
  if (connection_ != nullptr) connection_->ShutdownSoon([](const Result<void>&) {});
}

/// handOver(handle) -> Buffer: gives the stream, with all that waits to be written, to a TCP or Pipe handle without one;
/// returns what was read but not handled, or undefined when the connection is closed.
void HttpConnectionWrap::HandOver(Js& js, const Info& info) {
  StreamWrap* target = Wrap::From<TcpWrap>(info[0]);
  if (target == nullptr) target = Wrap::From<PipeWrap>(info[0]);
  if (target == nullptr) return js.ThrowTypeError("handOver takes a TCP or Pipe handle");
  std::string unread;
  if (connection_ == nullptr || !connection_->HandOver(target->stream(), &unread)) return;
  v8::Local<v8::Object> bytes;
  if (MakeBuffer(js, {reinterpret_cast<const uint8_t*>(unread.data()), unread.size()}).ToLocal(&bytes)) {
    info.GetReturnValue().Set(bytes);
  }
}

static loop::TcpHandle* TcpOf(http::Connection* connection) {
  if (connection == nullptr || !connection->is_tcp()) return nullptr;
  return static_cast<loop::TcpHandle*>(connection->stream());
}

int HttpConnectionWrap::GetPeerName(Js& js, v8::Local<v8::Object> out) {
  loop::TcpHandle* tcp = TcpOf(connection_);
  if (tcp == nullptr) return connection_ != nullptr && connection_->stream() != nullptr ? 0 : -EBADF;
  Result<sys::SocketAddress> address = tcp->PeerAddress();
  if (!address.has_value()) return -address.error().err;
  return PutAddress(js, out, *address) ? 0 : -EINVAL;
}

int HttpConnectionWrap::GetSockName(Js& js, v8::Local<v8::Object> out) {
  loop::TcpHandle* tcp = TcpOf(connection_);
  if (tcp == nullptr) return connection_ != nullptr && connection_->stream() != nullptr ? 0 : -EBADF;
  Result<sys::SocketAddress> address = tcp->LocalAddress();
  if (!address.has_value()) return -address.error().err;
  return PutAddress(js, out, *address) ? 0 : -EINVAL;
}

int HttpConnectionWrap::SetNoDelay(Js&, bool on) {
  loop::TcpHandle* tcp = TcpOf(connection_);
  return tcp == nullptr ? 0 : Status(tcp->SetNoDelay(on));
}

int HttpConnectionWrap::SetKeepAlive(Js&, bool on, int delay) {
  loop::TcpHandle* tcp = TcpOf(connection_);
  return tcp == nullptr ? 0 : Status(tcp->SetKeepAlive(on, static_cast<unsigned>(delay < 0 ? 0 : delay)));
}

void HttpConnectionWrap::Ref(Js&) {
  if (connection_ != nullptr && connection_->stream() != nullptr) connection_->stream()->Ref();
}
void HttpConnectionWrap::Unref(Js&) {
  if (connection_ != nullptr && connection_->stream() != nullptr) connection_->stream()->Unref();
}
bool HttpConnectionWrap::HasRef(Js&) {
  return connection_ != nullptr && connection_->stream() != nullptr && connection_->stream()->HasRef();
}
int HttpConnectionWrap::Fd(Js&) {
  return connection_ != nullptr && connection_->stream() != nullptr ? connection_->stream()->fd() : -1;
}
double HttpConnectionWrap::BytesRead(Js&) {
  loop::StreamHandle* stream = connection_ == nullptr ? nullptr : connection_->stream();
  return stream == nullptr ? 0 : static_cast<double>(stream->bytes_read());
}
double HttpConnectionWrap::BytesWritten(Js&) {
  loop::StreamHandle* stream = connection_ == nullptr ? nullptr : connection_->stream();
  return stream == nullptr ? 0 : static_cast<double>(stream->bytes_written() + connection_->pending());
}
double HttpConnectionWrap::WriteQueueSize(Js&) {
  return connection_ == nullptr ? 0 : static_cast<double>(connection_->pending());
}
bool HttpConnectionWrap::IsTcp(Js&) { return connection_ != nullptr && connection_->is_tcp(); }

namespace {

constexpr NativeFunction kMethods[] = {
    RawMethod<&HttpConnectionWrap::Respond>("respond"),
    RawMethod<&HttpConnectionWrap::WriteData>("write"),
    RawMethod<&HttpConnectionWrap::SendFile>("sendFile"),
    Method<&HttpConnectionWrap::AnswerDone>("answerDone"),
    Method<&HttpConnectionWrap::Flush>("flush"),
    Method<&HttpConnectionWrap::Pause>("pause"),
    Method<&HttpConnectionWrap::Resume>("resume"),
    Method<&HttpConnectionWrap::SetRawInput>("setRawInput"),
    Method<&HttpConnectionWrap::Inject>("inject"),
    Method<&HttpConnectionWrap::Close>("close"),
    Method<&HttpConnectionWrap::CloseSoon>("closeSoon"),
    Method<&HttpConnectionWrap::Reset>("reset"),
    Method<&HttpConnectionWrap::Shutdown>("shutdown"),
    RawMethod<&HttpConnectionWrap::HandOver>("handOver"),
    Method<&HttpConnectionWrap::GetPeerName>("getpeername"),
    Method<&HttpConnectionWrap::GetSockName>("getsockname"),
    Method<&HttpConnectionWrap::SetNoDelay>("setNoDelay"),
    Method<&HttpConnectionWrap::SetKeepAlive>("setKeepAlive"),
    Method<&HttpConnectionWrap::Ref>("ref"),
    Method<&HttpConnectionWrap::Unref>("unref"),
    Method<&HttpConnectionWrap::HasRef>("hasRef"),
    Method<&HttpConnectionWrap::IsTcp>("isTcp"),
};

constexpr NativeAccessor kAccessors[] = {
    Getter<&HttpConnectionWrap::Fd>("fd"),
    Getter<&HttpConnectionWrap::BytesRead>("bytesRead"),
    Getter<&HttpConnectionWrap::BytesWritten>("bytesWritten"),
    Getter<&HttpConnectionWrap::WriteQueueSize>("writeQueueSize"),
};

}  // namespace

const NativeClass HttpConnectionWrap::kClass = {.name = "HttpConnection", .methods = kMethods, .accessors = kAccessors};

}  // namespace gyre::modules

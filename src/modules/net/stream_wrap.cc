#include "modules/net/stream_wrap.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>

#include <cerrno>
#include <cstring>

#include "modules/net/net_state.h"

namespace gyre::modules {

namespace {

constexpr int kEof = -4095;
/// Strings up to this length are encoded on the stack.
constexpr size_t kStackString = 16 * 1024;

}  // namespace

// --- requests ---------------------------------------------------------------------------------------------------

StreamRequest::StreamRequest(StreamWrap& wrap, Js& js, v8::Local<v8::Value> object, const char* type)
    : wrap_(&wrap), object_(js.isolate, object), context_(bridge::TriggeredBy(wrap.context_, js, type, object)) {
  wrap.requests_.PushBack(this);
}

void StreamRequest::Complete(const Result<void>& result) {
  if (wrap_ == nullptr) return;
  StreamWrap& wrap = *wrap_;
  Unlink();
  wrap_ = nullptr;
  Realm& realm = wrap.realm();
  if (realm.terminating) return;
  bridge::JsScope scope(realm, context_);
  Js& js = scope.js();
  v8::Local<v8::Value> object = object_.Get(js.isolate);
  object_.Reset();
  if (!object->IsObject()) return;
  v8::Local<v8::Value> argv[] = {object, js.Int(Status(result))};
  bridge::Call(js, realm.Slot<NetState>().on_complete.Get(js.isolate), wrap.object(), 2, argv);
  context_.EmitDestroy(realm);
}

/// A write that could not end at once: owns what it writes.
class StreamWrap::PendingWrite final : public loop::WriteOp {
 public:
  void OnDone(Result<void> result) override { request->Complete(result); }
  std::unique_ptr<StreamRequest> request;
  std::vector<uint8_t> bytes;
  std::vector<PinnedBuffer> pinned;
  base::OwnedFd send_fd;
};

// --- construction and end ---------------------------------------------------------------------------------------

StreamWrap::StreamWrap(Realm& realm, v8::Local<v8::Object> object, const NativeClass* tag, const char* type)
    : Wrap(realm, object, tag),
      context_(bridge::AsyncContext::Current(realm.isolate(), type, object)),
      self_(std::make_shared<StreamWrap*>(this)) {
  Pin();
  realm.Slot<OpenStreams>().list.PushBack(this);
}

StreamWrap::~StreamWrap() {
  *self_ = nullptr;
  while (StreamRequest* request = requests_.PopFront()) {
    request->wrap_ = nullptr;
    request->object_.Reset();
    request->context_ = {};
  }
}

loop::DoneCallback StreamWrap::Done(Js& js, v8::Local<v8::Value> request, const char* type) {
  auto kept = std::make_unique<StreamRequest>(*this, js, request, type);
  return [kept = std::move(kept)](Result<void> result) { kept->Complete(result); };
}

loop::CloseCallback StreamWrap::OnClosed(Js& js, v8::Local<v8::Value> callback) {
  return [self = self_, kept = v8::Global<v8::Value>(js.isolate, callback)]() mutable {
    StreamWrap* wrap = *self;
    if (wrap == nullptr || wrap->realm().terminating) return;
    Realm& realm = wrap->realm();
    v8::HandleScope handles(realm.isolate());
    v8::Local<v8::Object> object = wrap->object();
    bridge::AsyncContext context = std::move(wrap->context_);
    wrap->base::ListNode<StreamWrap>::Unlink();
    wrap->Unpin();
    v8::Local<v8::Value> callback = kept.Get(realm.isolate());
    if (callback->IsFunction()) {
      bridge::JsScope scope(realm, context);
      bridge::Call(scope.js(), realm.Slot<NetState>().on_close.Get(realm.isolate()), object, 1, &callback);
    }
    context.EmitDestroy(realm);
  };
}

void StreamWrap::Close(Js& js, const Info& info) {
  if (stream_->IsClosing()) return;
  stream_->Close(OnClosed(js, info[0]));
}

void StreamWrap::Ref(Js&) { stream_->Ref(); }
void StreamWrap::Unref(Js&) { stream_->Unref(); }
bool StreamWrap::HasRef(Js&) { return !stream_->IsClosing() && stream_->HasRef(); }
int StreamWrap::Fd(Js&) { return stream_->IsClosing() ? -1 : stream_->fd(); }
double StreamWrap::BytesRead(Js&) { return static_cast<double>(stream_->bytes_read()); }
double StreamWrap::BytesWritten(Js&) {
  return static_cast<double>(stream_->bytes_written() + stream_->write_queue_size());
}
double StreamWrap::WriteQueueSize(Js&) { return static_cast<double>(stream_->write_queue_size()); }

int StreamWrap::SetBlocking(Js&, bool on) {
  if (stream_->IsClosing()) return -EBADF;
  blocking_writes_ = on;
  return 0;
}

// --- reading ----------------------------------------------------------------------------------------------------

int StreamWrap::ReadStart(Js&) {
  if (stream_->IsClosing()) return -EINVAL;
  return Status(stream_->ReadStart(this));
}

int StreamWrap::ReadStop(Js&) {
  if (!stream_->IsClosing()) stream_->ReadStop();
  return 0;
}

/// The oldest descriptor that came along with data, or -1. It is the caller's now.
int StreamWrap::TakeFd(Js&) {
  if (!stream_->HasReceivedFds()) return -1;
  return stream_->TakeReceivedFd().Release();
}

void StreamWrap::OnData(loop::StreamHandle&, std::span<const uint8_t> data) {
  if (realm().terminating) return;
  Realm& realm = this->realm();
  bridge::JsScope scope(realm, context_);
  Js& js = scope.js();
  NetState& state = realm.Slot<NetState>();
  NetState::Piece piece = state.Keep(realm, data);
  if (piece.memory.IsEmpty()) return DeliverStatus(-ENOMEM);
  v8::Local<v8::Value> argv[] = {js.Int(static_cast<int>(data.size())), piece.memory,
                                 js.Int(static_cast<int>(piece.offset))};
  bridge::Call(js, state.on_read.Get(js.isolate), object(), 3, argv);
}

void StreamWrap::OnEnd(loop::StreamHandle&) { DeliverStatus(kEof); }
void StreamWrap::OnReadError(loop::StreamHandle&, const Error& error) { DeliverStatus(-error.err); }

void StreamWrap::DeliverStatus(int status) {
  if (realm().terminating) return;
  Realm& realm = this->realm();
  bridge::JsScope scope(realm, context_);
  Js& js = scope.js();
  v8::Local<v8::Value> argv[] = {js.Int(status)};
  bridge::Call(js, realm.Slot<NetState>().on_read.Get(js.isolate), object(), 1, argv);
}

// --- listening --------------------------------------------------------------------------------------------------

int StreamWrap::Listen(Js&, int backlog) {
  if (stream_->IsClosing()) return -EBADF;
  return Status(StartListening(backlog, this));
}

v8::MaybeLocal<v8::Object> StreamWrap::WrapConnection(Js&, base::OwnedFd, int* error) {
  *error = ENOTSUP;
  return {};
}

void StreamWrap::OnConnection(loop::StreamHandle&, base::OwnedFd fd) {
  if (realm().terminating) return;
  if (acceptor_ != nullptr && acceptor_->Accept(fd)) return;
  Realm& realm = this->realm();
  bridge::JsScope scope(realm, context_);
  Js& js = scope.js();
  int error = 0;
  v8::Local<v8::Object> client;
  v8::Local<v8::Value> argv[] = {js.Int(0), js.Undefined()};
  if (WrapConnection(js, std::move(fd), &error).ToLocal(&client)) {
    argv[1] = client;
  } else {
    argv[0] = js.Int(error == 0 ? -ENOMEM : -error);
  }
  bridge::Call(js, realm.Slot<NetState>().on_connection.Get(js.isolate), object(), 2, argv);
}

void StreamWrap::OnAcceptError(loop::StreamHandle&, const Error& error) {
  // Out of descriptors: the loop turns the peers away, and the server goes on, as on Node.
  if (error.err == EMFILE || error.err == ENFILE || realm().terminating) return;
  Realm& realm = this->realm();
  bridge::JsScope scope(realm, context_);
  Js& js = scope.js();
  v8::Local<v8::Value> argv[] = {js.Int(-error.err), js.Undefined()};
  bridge::Call(js, realm.Slot<NetState>().on_connection.Get(js.isolate), object(), 2, argv);
}

// --- writing ----------------------------------------------------------------------------------------------------

/// Writes all of it before it returns, waiting as long as the reader takes.
int StreamWrap::FinishBlocking(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    pollfd ready = {.fd = stream_->fd(), .events = POLLOUT, .revents = 0};
    if (poll(&ready, 1, -1) < 0 && errno != EINTR) return -errno;
    Result<size_t> written = stream_->TryWrite(bytes);
    if (!written.has_value()) return -written.error().err;
    bytes = bytes.subspan(*written);
  }
  return 0;
}

int StreamWrap::QueueWrite(Js& js, v8::Local<v8::Value> request, std::unique_ptr<PendingWrite> write) {
  write->request = std::make_unique<StreamRequest>(*this, js, request, "WRITEWRAP");
  stream_->Write(std::move(write));
  return 1;
}

/// `owner` is the buffer that holds `bytes`, or undefined when they must be copied to be kept.
int StreamWrap::WriteBytes(Js& js, v8::Local<v8::Value> request, std::span<const uint8_t> bytes,
                           v8::Local<v8::Value> owner) {
  if (stream_->IsClosing()) return -EBADF;
  if (bytes.empty() && stream_->write_queue_size() == 0) return 0;
  Result<size_t> written = stream_->TryWrite(bytes);
  if (!written.has_value()) return -written.error().err;
  bytes = bytes.subspan(*written);
  if (bytes.empty()) return 0;
  if (WritesBlock()) return FinishBlocking(bytes);
  auto write = std::make_unique<PendingWrite>();
  std::optional<PinnedBuffer> pinned = PinnedBuffer::From(owner);
  if (pinned.has_value()) {
    // What is left is the end of the buffer, or of the copy that was made of it.
    write->AddBuffer(pinned->bytes().last(bytes.size()).data(), bytes.size());
    write->pinned.push_back(std::move(*pinned));
  } else {
    write->bytes.assign(bytes.begin(), bytes.end());
    write->AddBuffer(write->bytes.data(), write->bytes.size());
  }
  return QueueWrite(js, request, std::move(write));
}

void StreamWrap::WriteBuffer(Js& js, const Info& info) {
  std::optional<BufferView> view = BytesOf(info[1]);
  if (!view.has_value()) {
    v8::Local<v8::Object> error =
        v8::Exception::TypeError(js.Str("Second argument must be a buffer")).As<v8::Object>();
    js.Set(error, "code", js.Str("ERR_INVALID_ARG_TYPE"));
    js.isolate->ThrowException(error);
    return;
  }
  info.GetReturnValue().Set(info[2]->IsInt32() ? WriteCopied(js, info, *view) : WriteBytes(js, info[0], *view, info[1]));
}

/// Bytes that are not kept, and perhaps a descriptor (third argument) that goes along with them.
int StreamWrap::WriteCopied(Js& js, const Info& info, std::span<const uint8_t> bytes) {
  if (!info[2]->IsInt32()) return WriteBytes(js, info[0], bytes, js.Undefined());
  if (stream_->IsClosing()) return -EBADF;
  // A copy, since the sender may close its own before the kernel takes this one.
  base::OwnedFd copy(fcntl(info[2].As<v8::Int32>()->Value(), F_DUPFD_CLOEXEC, 3));
  if (!copy.IsValid()) return -errno;
  auto write = std::make_unique<PendingWrite>();
  write->bytes.assign(bytes.begin(), bytes.end());
  write->AddBuffer(write->bytes.data(), write->bytes.size());
  write->send_fd = std::move(copy);
  write->SetSendFd(write->send_fd.get());
  return QueueWrite(js, info[0], std::move(write));
}

void StreamWrap::WriteUtf8String(Js& js, const Info& info) {
  if (!info[1]->IsString()) return info.GetReturnValue().Set(-EINVAL);
  v8::Local<v8::String> text = info[1].As<v8::String>();
  constexpr int kFlags = v8::String::WriteFlags::kReplaceInvalidUtf8;
  // A UTF-16 unit takes three bytes at most.
  size_t capacity = static_cast<size_t>(text->Length()) * 3;
  if (capacity <= kStackString) {
    char stack[kStackString];
    size_t size = text->WriteUtf8V2(js.isolate, stack, capacity, kFlags);
    info.GetReturnValue().Set(WriteCopied(js, info, {reinterpret_cast<uint8_t*>(stack), size}));
    return;
  }
  capacity = text->Utf8LengthV2(js.isolate);
  std::unique_ptr<char[]> heap(new (std::nothrow) char[capacity]);
  if (heap == nullptr) return info.GetReturnValue().Set(-ENOMEM);
  size_t size = text->WriteUtf8V2(js.isolate, heap.get(), capacity, kFlags);
  info.GetReturnValue().Set(WriteCopied(js, info, {reinterpret_cast<uint8_t*>(heap.get()), size}));
}

void StreamWrap::WriteLatin1String(Js& js, const Info& info) {
  if (!info[1]->IsString()) return info.GetReturnValue().Set(-EINVAL);
  v8::Local<v8::String> text = info[1].As<v8::String>();
  auto length = static_cast<uint32_t>(text->Length());
  if (length <= kStackString) {
    uint8_t stack[kStackString];
    text->WriteOneByteV2(js.isolate, 0, length, stack);
    info.GetReturnValue().Set(WriteCopied(js, info, {stack, length}));
    return;
  }
  std::unique_ptr<uint8_t[]> heap(new (std::nothrow) uint8_t[length]);
  if (heap == nullptr) return info.GetReturnValue().Set(-ENOMEM);
  text->WriteOneByteV2(js.isolate, 0, length, heap.get());
  info.GetReturnValue().Set(WriteCopied(js, info, {heap.get(), length}));
}

/// writev(request, buffers)
void StreamWrap::Writev(Js& js, const Info& info) {
  if (!info[1]->IsArray()) return info.GetReturnValue().Set(-EINVAL);
  if (stream_->IsClosing()) return info.GetReturnValue().Set(-EBADF);
  v8::Local<v8::Array> list = info[1].As<v8::Array>();
  std::vector<iovec> parts;
  std::vector<v8::Local<v8::Value>> owners;
  for (uint32_t i = 0; i < list->Length(); i++) {
    v8::Local<v8::Value> value;
    if (!list->Get(js.context, i).ToLocal(&value)) return;
    std::optional<BufferView> view = BytesOf(value);
    if (!view.has_value()) return info.GetReturnValue().Set(-EINVAL);
    if (view->empty()) continue;
    parts.push_back({view->data(), view->size()});
    owners.push_back(value);
  }
  if (parts.empty() && stream_->write_queue_size() == 0) return info.GetReturnValue().Set(0);
  Result<size_t> written = stream_->TryWrite(std::span(parts).first(std::min<size_t>(parts.size(), IOV_MAX)));
  if (!written.has_value()) return info.GetReturnValue().Set(-written.error().err);
  auto write = std::make_unique<PendingWrite>();
  bool blocks = WritesBlock();
  size_t skip = *written;
  for (size_t i = 0; i < parts.size(); i++) {
    if (skip >= parts[i].iov_len) {
      skip -= parts[i].iov_len;
      continue;
    }
    auto* rest = static_cast<uint8_t*>(parts[i].iov_base) + skip;
    size_t size = parts[i].iov_len - skip;
    skip = 0;
    if (blocks) {
      int error = FinishBlocking({rest, size});
      if (error != 0) return info.GetReturnValue().Set(error);
      continue;
    }
    std::optional<PinnedBuffer> pinned = PinnedBuffer::From(owners[i]);
    if (!pinned.has_value()) return info.GetReturnValue().Set(-EINVAL);
    if (pinned->size() < size) return info.GetReturnValue().Set(-EINVAL);  // a getter of the list shrank it
    write->AddBuffer(pinned->bytes().last(size).data(), size);
    write->pinned.push_back(std::move(*pinned));
  }
  if (write->buffers().empty() && !parts.empty()) return info.GetReturnValue().Set(0);
  info.GetReturnValue().Set(QueueWrite(js, info[0], std::move(write)));
}

int StreamWrap::Shutdown(Js& js, v8::Local<v8::Value> request) {
  if (stream_->IsClosing()) return -ENOTCONN;
  stream_->Shutdown(Done(js, request, "SHUTDOWNWRAP"));
  return 0;
}

static constexpr NativeFunction kStreamMethods[] = {
    Method<&StreamWrap::ReadStart>("readStart"),
    Method<&StreamWrap::ReadStop>("readStop"),
    RawMethod<&StreamWrap::WriteBuffer>("writeBuffer"),
    RawMethod<&StreamWrap::WriteUtf8String>("writeUtf8String"),
    RawMethod<&StreamWrap::WriteLatin1String>("writeLatin1String"),
    RawMethod<&StreamWrap::Writev>("writev"),
    Method<&StreamWrap::Shutdown>("shutdown"),
    Method<&StreamWrap::Listen>("listen"),
    Method<&StreamWrap::SetBlocking>("setBlocking"),
    RawMethod<&StreamWrap::Close>("close"),
    Method<&StreamWrap::TakeFd>("takeFd"),
    Method<&StreamWrap::Ref>("ref"),
    Method<&StreamWrap::Unref>("unref"),
    Method<&StreamWrap::HasRef>("hasRef"),
    Method<&StreamWrap::GetAsyncId>("getAsyncId"),
};

static constexpr NativeAccessor kStreamAccessors[] = {
    Getter<&StreamWrap::Fd>("fd"),
    Getter<&StreamWrap::BytesRead>("bytesRead"),
    Getter<&StreamWrap::BytesWritten>("bytesWritten"),
    Getter<&StreamWrap::WriteQueueSize>("writeQueueSize"),
};

const NativeClass StreamWrap::kClass = {
    .name = "StreamHandle",
    .methods = kStreamMethods,
    .accessors = kStreamAccessors,
};

}  // namespace gyre::modules

// Synchronous writes to a descriptor that other programs may share: all of the data is written before the call
// returns, whether the descriptor blocks or not. Thread: the isolate's. No state.

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <new>

#include "bridge/module.h"

namespace gyre::modules {

namespace {

/// Strings up to this many bytes are encoded on the stack.
constexpr size_t kStackString = 16 * 1024;

/// @return 0 or the negative errno.
int WriteAll(int fd, const char* data, size_t size) {
  while (size > 0) {
    ssize_t written = write(fd, data, size);
    if (written >= 0) {
      data += written;
      size -= static_cast<size_t>(written);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return -errno;
    pollfd ready = {.fd = fd, .events = POLLOUT, .revents = 0};
    if (poll(&ready, 1, -1) < 0 && errno != EINTR) return -errno;
  }
  return 0;
}

int WriteText(Js& js, int fd, v8::Local<v8::String> text) {
  constexpr int kFlags = v8::String::WriteFlags::kReplaceInvalidUtf8;
  size_t capacity = static_cast<size_t>(text->Length()) * 3;  // a UTF-16 unit takes three bytes at most
  if (capacity <= kStackString) {
    char stack[kStackString];
    return WriteAll(fd, stack, text->WriteUtf8V2(js.isolate, stack, capacity, kFlags));
  }
  capacity = text->Utf8LengthV2(js.isolate);
  std::unique_ptr<char[]> heap(new (std::nothrow) char[capacity]);
  if (heap == nullptr) return -ENOMEM;
  return WriteAll(fd, heap.get(), text->WriteUtf8V2(js.isolate, heap.get(), capacity, kFlags));
}

/// write(fd, stringOrBuffer): 0 or a negative errno.
void Write(const Info& info) {
  Js js(info);
  if (!info[0]->IsInt32()) return info.GetReturnValue().Set(-EBADF);
  int fd = info[0].As<v8::Int32>()->Value();
  if (info[1]->IsString()) return info.GetReturnValue().Set(WriteText(js, fd, info[1].As<v8::String>()));
  std::optional<BufferView> bytes = BytesOf(info[1]);
  if (!bytes.has_value()) return info.GetReturnValue().Set(-EINVAL);
  info.GetReturnValue().Set(WriteAll(fd, reinterpret_cast<const char*>(bytes->data()), bytes->size()));
}

/// Whether the descriptor is open.
bool IsOpen(Js&, int fd) { return fcntl(fd, F_GETFD) != -1; }

}  // namespace

static constexpr NativeFunction kFunctions[] = {RawFn("write", &Write, 2), Fn<&IsOpen>("isOpen")};

extern const NativeModule kStdioModule;
const NativeModule kStdioModule = {.name = "stdio", .functions = kFunctions};

}  // namespace gyre::modules

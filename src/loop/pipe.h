// PipeHandle: local stream sockets (by path), anonymous pipes and socket pairs; in IPC mode it carries descriptors.
// Thread: the loop's. Owner: a HandlePtr.
#ifndef GYRE_LOOP_PIPE_H_
#define GYRE_LOOP_PIPE_H_

#include <string>
#include <string_view>

#include "loop/stream.h"

namespace gyre::loop {

class PipeHandle final : public StreamHandle {
 public:
  enum class Ipc : uint8_t { kNo, kYes };
  static HandlePtr<PipeHandle> Create(Loop& loop, Ipc ipc = Ipc::kNo);

  // Takes any readable or writable descriptor that can be polled: socket, pipe, FIFO, character device.
  Result<void> Open(base::OwnedFd fd);
  // A leading NUL byte makes the name abstract. The path is unlinked when the handle closes.
  Result<void> Bind(std::string_view path);
  Result<void> Connect(std::string_view path, DoneCallback done);
  // Makes the socket file accessible: mode is a mask of 1 (readable) and 2 (writable) for everybody.
  Result<void> Chmod(int mode);

  Result<std::string> LocalName() const;
  Result<std::string> PeerName() const;

 private:
  PipeHandle(Loop& loop, Ipc ipc);
  ~PipeHandle() override;
  void OnClose() override;
  std::string bound_path_;
};

// A connected pair of descriptors, close-on-exec and non-blocking where asked.
struct FdPair {
  base::OwnedFd first;   // read end of a pipe
  base::OwnedFd second;  // write end of a pipe
};
Result<FdPair> MakePipe();
Result<FdPair> MakeSocketPair();

}  // namespace gyre::loop

#endif  // GYRE_LOOP_PIPE_H_

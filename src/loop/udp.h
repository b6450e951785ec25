// UdpHandle: datagram sockets.
// Thread: the loop's. Owner: a HandlePtr.
#ifndef GYRE_LOOP_UDP_H_
#define GYRE_LOOP_UDP_H_

#include <sys/uio.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/owned_fd.h"
#include "base/result.h"
#include "loop/fd_watcher.h"
#include "loop/handle.h"
#include "loop/loop.h"
#include "sys/socket_address.h"

namespace gyre::loop {

class UdpHandle;

class UdpObserver {
 public:
  // `data` may be empty (an empty datagram) and is valid only during the call. `truncated`: it did not fit.
  virtual void OnDatagram(UdpHandle& udp, std::span<const uint8_t> data, const sys::SocketAddress& from,
                          bool truncated) = 0;
  virtual void OnReceiveError(UdpHandle& udp, const Error& error) = 0;

 protected:
  ~UdpObserver() = default;
};

// A queued datagram; owns the memory `buffers()` points to. See WriteOp.
class SendOp : public base::ListNode<SendOp> {
 public:
  virtual ~SendOp() = default;
  // Bytes sent, in the poll phase; ECANCELED in the closing phase.
  virtual void OnDone(Result<size_t> result) = 0;
  std::vector<iovec>& buffers() { return buffers_; }
  void AddBuffer(const void* data, size_t size) { buffers_.push_back({const_cast<void*>(data), size}); }
  // Unset on a connected socket.
  sys::SocketAddress to;

 private:
  friend class UdpHandle;
  std::vector<iovec> buffers_;
  size_t size_ = 0;
  int error_ = 0;
};

struct UdpBindOptions {
  bool ipv6_only = false;
  bool reuse_address = false;
  bool reuse_port = false;
};

class UdpHandle final : public Handle {
 public:
  static HandlePtr<UdpHandle> Create(Loop& loop);

  Result<void> Open(base::OwnedFd fd);
  Result<void> Bind(const sys::SocketAddress& address, const UdpBindOptions& options = {});
  Result<void> Connect(const sys::SocketAddress& address);  // EISCONN if connected
  Result<void> Disconnect();                                // ENOTCONN if not
  bool IsConnected() const { return connected_; }

  Result<void> ReceiveStart(UdpObserver* observer);
  void ReceiveStop();

  // `to` null on a connected socket. Binds to the wildcard address if needed. EAGAIN when it would block.
  Result<size_t> TrySend(std::span<const iovec> buffers, const sys::SocketAddress* to);
  // Queues; tries at once if nothing is queued; always completes later.
  Result<void> Send(std::unique_ptr<SendOp> op);
  size_t send_queue_size() const { return send_queue_size_; }
  size_t send_queue_count() const { return send_queue_count_; }

  enum class Membership : uint8_t { kJoin, kLeave };
  Result<void> SetMembership(std::string_view group, std::string_view interface, Membership membership);
  Result<void> SetSourceMembership(std::string_view group, std::string_view interface, std::string_view source,
                                   Membership membership);
  Result<void> SetMulticastLoop(bool on);  // NOLINT: socket options are switches
  Result<void> SetMulticastTtl(int ttl);
  Result<void> SetMulticastInterface(std::string_view interface);
  Result<void> SetBroadcast(bool on);  // NOLINT
  Result<void> SetTtl(int ttl);
  enum class BufferKind : uint8_t { kSend, kReceive };
  // size 0 asks only. Returns the size now in force, as the kernel counts it.
  Result<int> BufferSize(BufferKind kind, int size);

  Result<sys::SocketAddress> LocalAddress() const;
  Result<sys::SocketAddress> PeerAddress() const;
  int fd() const { return watcher_.fd(); }
  HandleFacts Describe() const override {
    return {.type = "udp", .fd = fd(), .queued_bytes = send_queue_size_, .queued_count = send_queue_count_};
  }

 private:
  struct SendsDone final : Completion {
    explicit SendsDone(UdpHandle& owner) : udp(owner) {}
    void Complete() override { udp.CompleteSends(); }
    UdpHandle& udp;
  };
  explicit UdpHandle(Loop& loop);
  ~UdpHandle() override;
  void OnClose() override;
  void OnClosed() override;
  void OnReady(uint32_t events);
  void ReceiveReady();
  void FlushSends();
  void CompleteSends();
  void UpdateInterest();
  Result<void> EnsureSocket(int family);
  Result<void> EnsureBound(int family);
  Result<void> SetOption(int ipv4_option, int ipv6_option, int value, const char* syscall);

  FdWatcher watcher_;
  UdpObserver* observer_ = nullptr;
  int family_ = 0;
  bool bound_ = false;
  bool connected_ = false;
  base::IntrusiveList<SendOp> sends_;
  base::IntrusiveList<SendOp> sent_;
  size_t send_queue_size_ = 0;
  size_t send_queue_count_ = 0;
  SendsDone sends_done_{*this};
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_UDP_H_

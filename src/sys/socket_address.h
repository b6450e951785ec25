// SocketAddress: an IPv4, IPv6 or local (unix) socket address by value.
// Thread: any.
#ifndef GYRE_SYS_SOCKET_ADDRESS_H_
#define GYRE_SYS_SOCKET_ADDRESS_H_

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gyre::sys {

class SocketAddress {
 public:
  SocketAddress() = default;
  SocketAddress(const sockaddr* address, socklen_t length);

  // Parses a numeric address ("127.0.0.1", "::1", "fe80::1%eth0"). Nothing if it is not one.
  static std::optional<SocketAddress> FromIp(std::string_view ip, uint16_t port);
  // A path of at most 107 bytes; a leading NUL byte makes it abstract. Longer: ENAMETOOLONG.
  static Result<SocketAddress> FromPath(std::string_view path);

  int family() const { return storage_.ss_family; }
  bool IsIp() const { return family() == AF_INET || family() == AF_INET6; }
  uint16_t port() const;
  uint32_t flow_label() const;
  // "127.0.0.1", "fe80::1%eth0", or the path of a local socket ("" if unnamed).
  std::string ToString() const;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage_); }
  socklen_t length() const { return length_; }
  void set_length(socklen_t length) { length_ = length; }
  static constexpr socklen_t kCapacity = sizeof(sockaddr_storage);

 private:
  sockaddr_storage storage_ = {};
  socklen_t length_ = 0;
};

}  // namespace gyre::sys

#endif  // GYRE_SYS_SOCKET_ADDRESS_H_

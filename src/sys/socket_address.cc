#include "sys/socket_address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>

namespace gyre::sys {
namespace {

bool ParseScope(std::string_view scope, uint32_t& id) {
  const char* end = scope.data() + scope.size();
  auto [rest, error] = std::from_chars(scope.data(), end, id);
  if (error == std::errc() && rest == end) return true;
  id = ::if_nametoindex(std::string(scope).c_str());
  return id != 0;
}

}  // namespace

SocketAddress::SocketAddress(const sockaddr* address, socklen_t length)
    : length_(std::min<socklen_t>(length, kCapacity)) {
  std::memcpy(&storage_, address, length_);
}

std::optional<SocketAddress> SocketAddress::FromIp(std::string_view ip, uint16_t port) {
  SocketAddress result;
  if (ip.find('\0') != std::string_view::npos) return std::nullopt;
  if (ip.find(':') == std::string_view::npos) {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&result.storage_);
    if (::inet_pton(AF_INET, std::string(ip).c_str(), &v4->sin_addr) != 1) return std::nullopt;
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    result.length_ = sizeof(sockaddr_in);
    return result;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&result.storage_);
  const size_t percent = ip.find('%');
  if (percent != std::string_view::npos) {
    // An unknown interface gives scope 0, as on libuv: connecting then fails, parsing does not.
    uint32_t scope = 0;
    if (ParseScope(ip.substr(percent + 1), scope)) v6->sin6_scope_id = scope;
    ip = ip.substr(0, percent);
  }
  if (::inet_pton(AF_INET6, std::string(ip).c_str(), &v6->sin6_addr) != 1) return std::nullopt;
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(port);
  result.length_ = sizeof(sockaddr_in6);
  return result;
}

Result<SocketAddress> SocketAddress::FromPath(std::string_view path) {
  SocketAddress result;
  auto* local = reinterpret_cast<sockaddr_un*>(&result.storage_);
  const bool abstract = !path.empty() && path[0] == '\0';
  if (path.empty()) return Err(EINVAL, "bind");
  if (path.size() > sizeof(local->sun_path) - (abstract ? 0 : 1)) return Err(ENAMETOOLONG, "bind");
  local->sun_family = AF_UNIX;
  std::memcpy(local->sun_path, path.data(), path.size());
  const size_t size = offsetof(sockaddr_un, sun_path) + path.size() + (abstract ? 0 : 1);
  result.length_ = static_cast<socklen_t>(size);
  return result;
}

uint16_t SocketAddress::port() const {
  if (family() == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port);
  if (family() == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port);
  return 0;
}

uint32_t SocketAddress::flow_label() const {
  if (family() != AF_INET6) return 0;
  return ntohl(reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_flowinfo) & 0xfffff;
}

std::string SocketAddress::ToString() const {
  char text[INET6_ADDRSTRLEN] = {};
  if (family() == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&storage_)->sin_addr, text, sizeof(text));
    return text;
  }
  if (family() == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&storage_);
    ::inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
    std::string result = text;
    if (v6->sin6_scope_id != 0) {
      char name[IF_NAMESIZE];
      result += '%';
      result += ::if_indextoname(v6->sin6_scope_id, name) ? std::string(name) : std::to_string(v6->sin6_scope_id);
    }
    return result;
  }
  if (family() == AF_UNIX) {
    const auto* local = reinterpret_cast<const sockaddr_un*>(&storage_);
    const size_t start = offsetof(sockaddr_un, sun_path);
    if (length_ <= start) return "";
    size_t size = length_ - start;
    if (local->sun_path[0] != '\0') size = strnlen(local->sun_path, size);
    return std::string(local->sun_path, size);
  }
  return "";
}

}  // namespace gyre::sys

// getaddrinfo and getnameinfo on the dns lane, so that a slow name server delays nobody but those who ask it.
// Thread: the isolate's. No state.
#ifndef GYRE_MODULES_DNS_LOOKUP_H_
#define GYRE_MODULES_DNS_LOOKUP_H_

#include "bridge/module.h"

namespace gyre::modules {

/// getaddrinfo(hostname, family, hints, order, callback): callback(status, [address, family, ...]); status is 0 or a
/// negative number of libuv's. `order`: 0 as it comes, 1 IPv4 first, 2 IPv6 first.
void GetAddrInfo(const Info& info);

/// getnameinfo(address, port, callback): callback(status, host, service).
void GetNameInfo(const Info& info);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_DNS_LOOKUP_H_

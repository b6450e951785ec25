// The native half of node:dns.

#include "modules/dns/lookup.h"
#include "modules/dns/resolver_wrap.h"

namespace gyre::modules {

static constexpr NativeFunction kFunctions[] = {
    RawFn("getaddrinfo", &GetAddrInfo, 5),
    RawFn("getnameinfo", &GetNameInfo, 3),
};
static constexpr const NativeClass* kClasses[] = {&ResolverWrap::kClass};

extern const NativeModule kDnsModule;
const NativeModule kDnsModule = {.name = "dns", .functions = kFunctions, .classes = kClasses};

}  // namespace gyre::modules

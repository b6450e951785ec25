#include "modules/dns/lookup.h"

#include <netdb.h>

#include <cerrno>
#include <memory>

#include "base/errno_table.h"
#include "loop/lanes.h"
#include "sys/socket_address.h"

namespace gyre::modules {

namespace {

enum class Order { kVerbatim, kIpv4First, kIpv6First };

/// A job of the dns lane whose outcome is a status and some values for one callback.
class LookupJob : public loop::LaneJob {
 public:
  LookupJob(Js& js, v8::Local<v8::Value> callback, const char* provider)
      : realm_(js.realm),
        callback_(js.isolate, callback.As<v8::Function>()),
        context_(bridge::AsyncContext::Current(js.isolate, provider)) {}

  void Done(Result<void> result) override {
    if (realm_.terminating) return;
    bridge::JsScope scope(realm_, context_);
    Js& js = scope.js();
    if (!result.has_value()) status_ = -base::kErrAiCanceled;
    v8::Local<v8::Value> argv[3] = {js.Int(status_), js.Undefined(), js.Undefined()};
    if (status_ == 0) Values(js, argv + 1);
    v8::Local<v8::Function> callback = callback_.Get(js.isolate);
    callback_.Reset();
    bridge::Call(js, callback, js.Undefined(), 3, argv);
    context_.EmitDestroy(realm_);
  }

 protected:
  virtual void Values(Js& js, v8::Local<v8::Value>* out) = 0;
  void SetEai(int eai) { status_ = -base::ErrFromEai(eai); }

 private:
  Realm& realm_;
  v8::Global<v8::Function> callback_;
  bridge::AsyncContext context_;
  int status_ = 0;
};

class AddressJob final : public LookupJob {
 public:
  AddressJob(Js& js, v8::Local<v8::Value> callback, std::string host, int family, int flags, Order order)
      : LookupJob(js, callback, "GETADDRINFOREQWRAP"), host_(std::move(host)), family_(family), flags_(flags), order_(order) {}

  void Work() override {
    addrinfo hints = {};
    hints.ai_family = family_;
    hints.ai_flags = flags_;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    int eai = getaddrinfo(host_.c_str(), nullptr, &hints, &list);
    SetEai(eai);
    if (eai != 0) return;
    for (addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
      if (entry->ai_family != AF_INET && entry->ai_family != AF_INET6) continue;
      addresses_.emplace_back(entry->ai_addr, entry->ai_addrlen);
    }
    freeaddrinfo(list);
    if (order_ == Order::kVerbatim) return;
    int first = order_ == Order::kIpv4First ? AF_INET : AF_INET6;
    std::vector<sys::SocketAddress> sorted;
    for (const sys::SocketAddress& address : addresses_) if (address.family() == first) sorted.push_back(address);
    for (const sys::SocketAddress& address : addresses_) if (address.family() != first) sorted.push_back(address);
    addresses_ = std::move(sorted);
  }

 private:
  void Values(Js& js, v8::Local<v8::Value>* out) override {
    std::vector<v8::Local<v8::Value>> values;
    for (const sys::SocketAddress& address : addresses_) {
      values.push_back(js.Str(address.ToString()));
      values.push_back(js.Int(address.family() == AF_INET6 ? 6 : 4));
    }
    out[0] = v8::Array::New(js.isolate, values.data(), values.size());
  }

  std::string host_;
  int family_;
  int flags_;
  Order order_;
  std::vector<sys::SocketAddress> addresses_;
};

class NameJob final : public LookupJob {
 public:
  NameJob(Js& js, v8::Local<v8::Value> callback, const sys::SocketAddress& address)
      : LookupJob(js, callback, "GETNAMEINFOREQWRAP"), address_(address) {}

  void Work() override {
    SetEai(getnameinfo(address_.get(), address_.length(), host_, sizeof(host_), service_, sizeof(service_), NI_NAMEREQD));
  }

 private:
  void Values(Js& js, v8::Local<v8::Value>* out) override {
    out[0] = js.Str(host_);
    out[1] = js.Str(service_);
  }

  sys::SocketAddress address_;
  char host_[NI_MAXHOST] = {};
  char service_[NI_MAXSERV] = {};
};

}  // namespace

void GetAddrInfo(const Info& info) {
  Js js(info);
  if (!info[0]->IsString() || !info[1]->IsInt32() || !info[2]->IsUint32() || !info[3]->IsInt32() ||
      !info[4]->IsFunction()) {
    return js.ThrowTypeError("getaddrinfo(hostname, family, hints, order, callback)");
  }
  int family = info[1].As<v8::Int32>()->Value();
  int domain = family == 4 ? AF_INET : family == 6 ? AF_INET6 : AF_UNSPEC;
  auto job = std::make_unique<AddressJob>(js, info[4], js.Utf8(info[0]), domain,
                                          static_cast<int>(info[2].As<v8::Uint32>()->Value()),
                                          static_cast<Order>(info[3].As<v8::Int32>()->Value()));
  loop::lanes::Submit(js.realm.loop(), loop::Lane::kDns, {.kind = "getaddrinfo"}, std::move(job));
}

void GetNameInfo(const Info& info) {
  Js js(info);
  if (!info[0]->IsString() || !info[1]->IsInt32() || !info[2]->IsFunction()) {
    return js.ThrowTypeError("getnameinfo(address, port, callback)");
  }
  auto address = sys::SocketAddress::FromIp(js.Utf8(info[0]), static_cast<uint16_t>(info[1].As<v8::Int32>()->Value()));
  if (!address.has_value()) return info.GetReturnValue().Set(-EINVAL);
  loop::lanes::Submit(js.realm.loop(), loop::Lane::kDns, {.kind = "getnameinfo"},
                      std::make_unique<NameJob>(js, info[2], *address));
  info.GetReturnValue().Set(0);
}

}  // namespace gyre::modules

#include "modules/dns/resolver_wrap.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <cstring>
#include <memory>

#include "sys/socket_address.h"

namespace gyre::modules {

/// A query in flight, then its answer. c-ares holds it until it calls back, at the latest when the channel is destroyed.
struct ResolverWrap::Pending {
  std::shared_ptr<ResolverWrap*> resolver;
  v8::Global<v8::Function> callback;
  bridge::AsyncContext context;
  int status = ARES_SUCCESS;
  bool has_names = false;
  std::vector<uint8_t> bytes;
  std::vector<std::string> names;
};

ResolverWrap::ResolverWrap(Realm& realm, v8::Local<v8::Object> object, int timeout_ms, int tries)
    : Wrap(realm, object, &kClass),
      timeout_ms_(timeout_ms),
      tries_(tries),
      self_(std::make_shared<ResolverWrap*>(this)) {}

ResolverWrap::~ResolverWrap() {
  *self_ = nullptr;
  if (channel_ != nullptr) ares_destroy(channel_);
}

int ResolverWrap::Open() {
  if (channel_ != nullptr) return ARES_SUCCESS;
  static const int library = ares_library_init(ARES_LIB_INIT_ALL);
  if (library != ARES_SUCCESS) return library;
  ares_options options = {};
  options.flags = ARES_FLAG_NOCHECKRESP;
  options.sock_state_cb = &OnSocketState;
  options.sock_state_cb_data = this;
  int mask = ARES_OPT_FLAGS | ARES_OPT_SOCK_STATE_CB;
  if (timeout_ms_ >= 0) {
    options.timeout = timeout_ms_;
    mask |= ARES_OPT_TIMEOUTMS;
  }
  if (tries_ > 0) {
    options.tries = tries_;
    mask |= ARES_OPT_TRIES;
  }
  return ares_init_options(&channel_, &options, mask);
}

void ResolverWrap::EnsureServers() {
  if (!servers_are_default_ || !last_failed_to_connect_ || pending_ > 0) return;
  ares_destroy(channel_);
  channel_ = nullptr;
  (void)Open();
  last_failed_to_connect_ = false;
}

// --- sockets and time -------------------------------------------------------------------------------------------

void ResolverWrap::OnSocketState(void* self, ares_socket_t fd, int readable, int writable) {
  auto& resolver = *static_cast<ResolverWrap*>(self);
  auto found = resolver.sockets_.find(fd);
  if (readable == 0 && writable == 0) {
    // c-ares closes it next.
    if (found != resolver.sockets_.end()) resolver.sockets_.erase(found);
    return;
  }
  if (found == resolver.sockets_.end()) {
    auto poll = loop::PollHandle::Create(resolver.realm().loop(), fd, [&resolver, fd](uint32_t events) {
      bool failed = (events & (loop::kError | loop::kHangUp)) != 0;
      resolver.Process((events & loop::kReadable) != 0 || failed ? fd : ARES_SOCKET_BAD,
                       (events & loop::kWritable) != 0 || failed ? fd : ARES_SOCKET_BAD);
    });
    found = resolver.sockets_.emplace(fd, std::move(poll)).first;
  }
  (void)found->second->Start((readable != 0 ? loop::kReadable : 0) | (writable != 0 ? loop::kWritable : 0));
}

void ResolverWrap::Process(ares_socket_t readable, ares_socket_t writable) {
  if (realm().terminating) return;
  ares_process_fd(channel_, readable, writable);
  UpdateTimer();
}

void ResolverWrap::UpdateTimer() {
  if (pending_ == 0) {
    if (timer_ != nullptr) timer_->Stop();
    return;
  }
  timeval wait = {};
  if (ares_timeout(channel_, nullptr, &wait) == nullptr) return;
  if (timer_ == nullptr) {
    timer_ = loop::TimerHandle::Create(realm().loop(), [this] { Process(ARES_SOCKET_BAD, ARES_SOCKET_BAD); });
  }
  auto ms = static_cast<uint64_t>(wait.tv_sec) * 1000 + static_cast<uint64_t>(wait.tv_usec) / 1000;
  timer_->Start(ms + 1);
}

// --- queries ----------------------------------------------------------------------------------------------------

void ResolverWrap::Post(std::unique_ptr<Pending> pending) {
  loop::Loop& loop = (*pending->resolver)->realm().loop();
  loop.AddKeepAlive();
  loop.remote()->Post([&loop, pending = std::move(pending)]() mutable {
    loop.DropKeepAlive();
    ResolverWrap* resolver = *pending->resolver;
    if (resolver != nullptr) resolver->Deliver(std::move(pending));
  });
}

void ResolverWrap::Deliver(std::unique_ptr<Pending> pending) {
  pending_--;
  last_failed_to_connect_ = pending->status == ARES_ECONNREFUSED;
  if (realm().terminating) return;
  bridge::JsScope scope(realm(), pending->context);
  Js& js = scope.js();
  UpdateTimer();
  v8::Local<v8::Value> argv[] = {js.Int(pending->status), js.Undefined()};
  v8::Local<v8::Object> buffer;
  if (pending->has_names) {
    std::vector<v8::Local<v8::Value>> names;
    for (const std::string& name : pending->names) names.push_back(js.Str(name));
    argv[1] = v8::Array::New(js.isolate, names.data(), names.size());
  } else if (pending->status == ARES_SUCCESS && MakeBuffer(js, pending->bytes).ToLocal(&buffer)) {
    argv[1] = buffer;
  }
  v8::Local<v8::Function> callback = pending->callback.Get(js.isolate);
  bridge::AsyncContext context = std::move(pending->context);
  pending.reset();
  Unpin();
  bridge::Call(js, callback, js.Undefined(), 2, argv);
  context.EmitDestroy(js.realm);
}

void ResolverWrap::OnAnswer(void* data, int status, int, unsigned char* bytes, int size) {
  std::unique_ptr<Pending> pending(static_cast<Pending*>(data));
  if (status == ARES_EDESTRUCTION || *pending->resolver == nullptr) return;
  pending->status = status;
  if (bytes != nullptr && size > 0) pending->bytes.assign(bytes, bytes + size);
  Post(std::move(pending));
}

void ResolverWrap::OnHost(void* data, int status, int, hostent* host) {
  std::unique_ptr<Pending> pending(static_cast<Pending*>(data));
  if (status == ARES_EDESTRUCTION || *pending->resolver == nullptr) return;
  pending->status = status;
  pending->has_names = status == ARES_SUCCESS;
  if (pending->has_names) {
    std::string first = host->h_name != nullptr ? host->h_name : "";
    if (!first.empty()) pending->names.push_back(first);
    for (char** alias = host->h_aliases; alias != nullptr && *alias != nullptr; alias++) {
      if (first != *alias) pending->names.emplace_back(*alias);
    }
  }
  Post(std::move(pending));
}

ResolverWrap::Pending* ResolverWrap::Begin(Js& js, v8::Local<v8::Value> callback) {
  EnsureServers();
  Pin();
  pending_++;
  return new Pending{self_, v8::Global<v8::Function>(js.isolate, callback.As<v8::Function>()),
                     bridge::AsyncContext::Current(js.isolate, "QUERYWRAP")};
}

void ResolverWrap::Query(Js& js, const Info& info) {
  if (!info[0]->IsString() || !info[1]->IsInt32() || !info[2]->IsFunction()) {
    return js.ThrowTypeError("query(name, type, callback)");
  }
  int status = Open();
  if (status != ARES_SUCCESS) return info.GetReturnValue().Set(status);
  constexpr int kInternetClass = 1;
  std::string name = js.Utf8(info[0]);
  Pending* pending = Begin(js, info[2]);
  ares_query(channel_, name.c_str(), kInternetClass, info[1].As<v8::Int32>()->Value(), &OnAnswer, pending);
  UpdateTimer();
  info.GetReturnValue().Set(0);
}

void ResolverWrap::Reverse(Js& js, const Info& info) {
  if (!info[0]->IsString() || !info[1]->IsFunction()) return js.ThrowTypeError("reverse(address, callback)");
  std::string text = js.Utf8(info[0]);
  unsigned char address[sizeof(in6_addr)];
  int family = inet_pton(AF_INET, text.c_str(), address) == 1    ? AF_INET
               : inet_pton(AF_INET6, text.c_str(), address) == 1 ? AF_INET6
                                                                 : 0;
  if (family == 0) return info.GetReturnValue().Set(-1);
  int status = Open();
  if (status != ARES_SUCCESS) return info.GetReturnValue().Set(status);
  ares_gethostbyaddr(channel_, address, family == AF_INET ? 4 : 16, family, &OnHost, Begin(js, info[1]));
  UpdateTimer();
  info.GetReturnValue().Set(0);
}

void ResolverWrap::Cancel(Js&) {
  if (channel_ != nullptr) ares_cancel(channel_);
}

// --- servers ----------------------------------------------------------------------------------------------------

std::vector<std::string> ResolverWrap::GetServers(Js&) {
  std::vector<std::string> result;
  ares_addr_port_node* list = nullptr;
  if (Open() != ARES_SUCCESS || ares_get_servers_ports(channel_, &list) != ARES_SUCCESS) return result;
  for (ares_addr_port_node* node = list; node != nullptr; node = node->next) {
    char text[INET6_ADDRSTRLEN];
    if (inet_ntop(node->family, &node->addr, text, sizeof(text)) == nullptr) continue;
    std::string server = text;
    if (node->udp_port != 0 && node->udp_port != 53) {
      if (node->family == AF_INET6) server = "[" + server + "]";
      server += ":" + std::to_string(node->udp_port);
    }
    result.push_back(std::move(server));
  }
  ares_free_data(list);
  return result;
}

int ResolverWrap::SetServers(Js&, std::string list) {
  int status = Open();
  if (status != ARES_SUCCESS) return status;
  if (pending_ > 0) return -1;
  // An empty list of text would change nothing.
  status = list.empty() ? ares_set_servers_ports(channel_, nullptr) : ares_set_servers_ports_csv(channel_, list.c_str());
  if (status == ARES_SUCCESS) servers_are_default_ = false;
  return status;
}

int ResolverWrap::SetLocalAddress(Js&, std::string address) {
  if (int status = Open(); status != ARES_SUCCESS) return status;
  unsigned char bytes[16];
  if (inet_pton(AF_INET, address.c_str(), bytes) == 1) {
    ares_set_local_ip4(channel_, (static_cast<unsigned>(bytes[0]) << 24) | (static_cast<unsigned>(bytes[1]) << 16) |
                                     (static_cast<unsigned>(bytes[2]) << 8) | bytes[3]);
    return 0;
  }
  if (inet_pton(AF_INET6, address.c_str(), bytes) == 1) {
    ares_set_local_ip6(channel_, bytes);
    return 0;
  }
  return -1;
}

// --- the class --------------------------------------------------------------------------------------------------

/// new Resolver(timeout, tries)
static void ConstructResolver(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall()) return js.ThrowTypeError("Class constructor Resolver cannot be invoked without 'new'");
  int timeout = info[0]->IsInt32() ? info[0].As<v8::Int32>()->Value() : -1;
  int tries = info[1]->IsInt32() ? info[1].As<v8::Int32>()->Value() : 0;
  new ResolverWrap(js.realm, info.This(), timeout, tries);
}

static constexpr NativeFunction kMethods[] = {
    RawMethod<&ResolverWrap::Query>("query"),
    RawMethod<&ResolverWrap::Reverse>("reverse"),
    Method<&ResolverWrap::Cancel>("cancel"),
    Method<&ResolverWrap::GetServers>("getServers"),
    Method<&ResolverWrap::SetServers>("setServers"),
    Method<&ResolverWrap::SetLocalAddress>("setLocalAddress"),
};

const NativeClass ResolverWrap::kClass = {.name = "Resolver", .construct = &ConstructResolver, .methods = kMethods};

}  // namespace gyre::modules

// Resolver: a c-ares channel on the loop. It asks name servers and gives back their answers as bytes; the JavaScript half
// reads the records (dns/message.js).
//
// Thread: the isolate's. Owner: the JavaScript object; pinned while queries are in flight.
#ifndef GYRE_MODULES_DNS_RESOLVER_WRAP_H_
#define GYRE_MODULES_DNS_RESOLVER_WRAP_H_

#include <ares.h>

#include <memory>
#include <unordered_map>

#include "bridge/module.h"
#include "loop/poll.h"
#include "loop/timer.h"

namespace gyre::modules {

class ResolverWrap final : public Wrap {
 public:
  static const NativeClass kClass;
  /// timeout_ms < 0 and tries < 1 mean c-ares' own.
  ResolverWrap(Realm& realm, v8::Local<v8::Object> object, int timeout_ms, int tries);
  ~ResolverWrap() override;

  /// query(name, type, callback): callback(status, Buffer), status a c-ares code; 0 or an immediate code is returned.
  void Query(Js& js, const Info& info);
  /// reverse(address, callback): callback(status, names); -1 is returned for what is no address.
  void Reverse(Js& js, const Info& info);
  void Cancel(Js& js);
  /// "address" or "address:port" with brackets about an IPv6 address.
  std::vector<std::string> GetServers(Js& js);
  int SetServers(Js& js, std::string list);
  /// Local addresses to ask from, as numbers of the host's order and 16 bytes; see resolver.js for the checks.
  int SetLocalAddress(Js& js, std::string address);

 private:
  struct Pending;
  static void OnSocketState(void* self, ares_socket_t fd, int readable, int writable);
  static void OnAnswer(void* pending, int status, int timeouts, unsigned char* bytes, int size);
  static void OnHost(void* pending, int status, int timeouts, hostent* host);
  int Open();
  /// After a failure to reach the default server the system's configuration is read anew.
  void EnsureServers();
  void Process(ares_socket_t readable, ares_socket_t writable);
  void UpdateTimer();
  /// Answers are told in a turn of the loop of their own, since c-ares may give them inside any call.
  static void Post(std::unique_ptr<Pending> pending);
  void Deliver(std::unique_ptr<Pending> pending);
  Pending* Begin(Js& js, v8::Local<v8::Value> callback);

  int timeout_ms_;
  int tries_;
  std::shared_ptr<ResolverWrap*> self_;
  ares_channel channel_ = nullptr;
  bool servers_are_default_ = true;
  bool last_failed_to_connect_ = false;
  int pending_ = 0;
  std::unordered_map<ares_socket_t, loop::HandlePtr<loop::PollHandle>> sockets_;
  loop::HandlePtr<loop::TimerHandle> timer_;
};

}  // namespace gyre::modules

#endif  // GYRE_MODULES_DNS_RESOLVER_WRAP_H_

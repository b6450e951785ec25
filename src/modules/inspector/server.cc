#include "modules/inspector/server.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <openssl/sha.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "codec/encoding.h"

namespace gyre::modules {

namespace {

constexpr size_t kMaxRequest = 16 * 1024;
constexpr size_t kMaxMessage = 256u << 20;
constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

std::string Lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

/// The value of a header of a request, or "".
std::string HeaderOf(const std::string& request, const std::string& name) {
  std::string wanted = "\r\n" + name + ":";
  size_t at = Lower(request).find(wanted);
  if (at == std::string::npos) return {};
  size_t begin = request.find_first_not_of(" \t", at + wanted.size());
  size_t end = request.find("\r\n", begin);
  return begin == std::string::npos || end == std::string::npos ? std::string() : request.substr(begin, end - begin);
}

/// A name that only this machine can mean: a page of another site must not reach the port by a name of its own.
bool IsAllowedHost(std::string host) {
  host = Lower(host);
  if (host.empty() || host.front() == '[') return true;
  if (size_t colon = host.rfind(':'); colon != std::string::npos) host.resize(colon);
  in_addr address;
  return host == "localhost" || host == "localhost6" || inet_pton(AF_INET, host.c_str(), &address) == 1;
}

std::string Escape(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out;
}

/// A frame that is whole and not masked, as a server sends it.
std::string Frame(uint8_t opcode, std::string_view payload) {
  std::string frame(1, static_cast<char>(0x80 | opcode));
  if (payload.size() < 126) {
    frame += static_cast<char>(payload.size());
  } else if (payload.size() < 65536) {
    frame += static_cast<char>(126);
    for (int shift = 8; shift >= 0; shift -= 8) frame += static_cast<char>(payload.size() >> shift);
  } else {
    frame += static_cast<char>(127);
    for (int shift = 56; shift >= 0; shift -= 8) frame += static_cast<char>(payload.size() >> shift);
  }
  frame += payload;
  return frame;
}

}  // namespace

InspectorServer::InspectorServer(std::string host, Target target, InspectorServerHandler& handler)
    : host_(std::move(host)), target_(std::move(target)), handler_(handler) {}

Result<std::unique_ptr<InspectorServer>> InspectorServer::Start(const std::string& host, uint16_t port, Target target,
                                                                InspectorServerHandler& handler) {
  addrinfo hints = {};
  hints.ai_flags = AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list) != 0) return Err(ENOENT, "listen");
  std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(list, &freeaddrinfo);
  std::unique_ptr<InspectorServer> server(new InspectorServer(host, std::move(target), handler));
  server->listener_.Reset(socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int on = 1;
  if (!server->listener_.IsValid()) return base::ErrFromErrno("listen");
  setsockopt(server->listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(server->listener_.get(), list->ai_addr, list->ai_addrlen) != 0 || listen(server->listener_.get(), 16) != 0) {
    return base::ErrFromErrno("listen");
  }
  sockaddr_storage bound = {};
  socklen_t size = sizeof(bound);
  getsockname(server->listener_.get(), reinterpret_cast<sockaddr*>(&bound), &size);
  server->port_ = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                                    : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
  server->wake_.Reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  server->thread_ = std::thread([raw = server.get()] { raw->Run(); });
  return server;
}

InspectorServer::~InspectorServer() { Stop(); }

void InspectorServer::Stop() {
  if (!thread_.joinable()) return;
  stop_.store(true);
  uint64_t one = 1;
  (void)!write(wake_.get(), &one, sizeof(one));
  thread_.join();
}

void InspectorServer::Send(int session, std::string message) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    sends_.emplace_back(session, std::move(message));
  }
  uint64_t one = 1;
  (void)!write(wake_.get(), &one, sizeof(one));
}

std::string InspectorServer::url() const {
  std::string host = host_.find(':') == std::string::npos ? host_ : "[" + host_ + "]";
  return "ws://" + host + ":" + std::to_string(port_) + "/" + target_.id;
}

void InspectorServer::Run() {
  while (true) {
    std::vector<pollfd> polled = {{.fd = listener_.get(), .events = POLLIN, .revents = 0},
                                  {.fd = wake_.get(), .events = POLLIN, .revents = 0}};
    for (const auto& connection : connections_) {
      short events = connection->out.empty() ? POLLIN : POLLIN | POLLOUT;
      polled.push_back({.fd = connection->fd.get(), .events = events, .revents = 0});
    }
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return;
    if (polled[1].revents != 0) {
      uint64_t count;
      (void)!read(wake_.get(), &count, sizeof(count));
    }
    TakeSends();
    for (size_t i = polled.size(); i-- > 2;) {
      Connection& connection = *connections_[i - 2];
      if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0) ReadFrom(connection);
      if (!connection.out.empty()) WriteTo(connection);
      if (!connection.fd.IsValid() || (connection.closing && connection.out.empty())) Forget(i - 2);
    }
    // What was said before the end still goes out.
    if (stop_.load()) break;
    if (polled[0].revents != 0) AcceptOne();
  }
  for (auto& connection : connections_) {
    if (connection->session != 0) connection->out += Frame(8, {});
    if (connection->fd.IsValid()) WriteTo(*connection);
  }
  connections_.clear();
}

void InspectorServer::AcceptOne() {
  base::OwnedFd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd.IsValid()) return;
  auto connection = std::make_unique<Connection>();
  connection->fd = std::move(fd);
  connections_.push_back(std::move(connection));
}

void InspectorServer::Forget(size_t index) {
  int session = connections_[index]->session;
  connections_.erase(connections_.begin() + static_cast<ptrdiff_t>(index));
  if (session != 0) handler_.OnDisconnect(session);
}

void InspectorServer::TakeSends() {
  std::vector<std::pair<int, std::string>> sends;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    sends.swap(sends_);
  }
  for (auto& [session, message] : sends) {
    for (auto& connection : connections_) {
      if (connection->session == session) connection->out += Frame(1, message);
    }
  }
  for (auto& connection : connections_) {
    if (!connection->out.empty() && connection->fd.IsValid()) WriteTo(*connection);
  }
}

void InspectorServer::ReadFrom(Connection& connection) {
  char buffer[16 * 1024];
  while (connection.fd.IsValid()) {
    ssize_t got = read(connection.fd.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) {
      connection.fd.Reset();
      break;
    }
    connection.in.append(buffer, static_cast<size_t>(got));
    if (connection.in.size() > kMaxMessage) connection.fd.Reset();
  }
  if (connection.closing) return;
  if (connection.session == 0) HandleHttp(connection);
  if (connection.session != 0) HandleFrames(connection);
}

void InspectorServer::WriteTo(Connection& connection) {
  while (!connection.out.empty()) {
    ssize_t sent = send(connection.fd.get(), connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      if (errno != EAGAIN) connection.fd.Reset();
      return;
    }
    connection.out.erase(0, static_cast<size_t>(sent));
  }
}

// --- HTTP -------------------------------------------------------------------------------------------------------

void InspectorServer::Respond(Connection& connection, std::string_view status, std::string_view body) {
  connection.out += "HTTP/1.0 ";
  connection.out += status;
  connection.out += "\r\nContent-Type: application/json; charset=UTF-8\r\nCache-Control: no-cache\r\nContent-Length: ";
  connection.out += std::to_string(body.size()) + "\r\n\r\n";
  connection.out += body;
  connection.closing = true;
}

std::string InspectorServer::TargetJson(const std::string& host) const {
  std::string own = host_.find(':') == std::string::npos ? host_ : "[" + host_ + "]";
  std::string address = (host.empty() ? own + ":" + std::to_string(port_) : host) + "/" + target_.id;
  return "[ {\n  \"description\": \"node.js instance\",\n"
         "  \"devtoolsFrontendUrl\": \"devtools://devtools/bundled/js_app.html?experiments=true&v8only=true&ws=" +
         address +
         "\",\n  \"devtoolsFrontendUrlCompat\": "
         "\"devtools://devtools/bundled/inspector.html?experiments=true&v8only=true&ws=" +
         address + "\",\n  \"faviconUrl\": \"https://nodejs.org/static/images/favicons/favicon.ico\",\n  \"id\": \"" +
         target_.id + "\",\n  \"title\": \"" + Escape(target_.title) + "\",\n  \"type\": \"node\",\n  \"url\": \"" +
         Escape(target_.url) + "\",\n  \"webSocketDebuggerUrl\": \"ws://" + address + "\"\n} ]\n\n";
}

void InspectorServer::HandleHttp(Connection& connection) {
  size_t end = connection.in.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (connection.in.size() > kMaxRequest) connection.fd.Reset();
    return;
  }
  std::string request = connection.in.substr(0, end + 4);
  connection.in.erase(0, end + 4);
  size_t path_end = request.find(' ', 4);
  if (!request.starts_with("GET /") || path_end == std::string::npos || !IsAllowedHost(HeaderOf(request, "host"))) {
    return Respond(connection, "400 Bad Request", "");
  }
  std::string path = request.substr(4, path_end - 4);
  std::string key = HeaderOf(request, "sec-websocket-key");
  if (!key.empty()) {
    if (path == "/" + target_.id) return Upgrade(connection, key);
    return Respond(connection, "400 Bad Request", "WebSockets request was expected\r\n");
  }
  if (path == "/json" || path == "/json/list") return Respond(connection, "200 OK", TargetJson(HeaderOf(request, "host")));
  if (path == "/json/version") {
    return Respond(connection, "200 OK", "{\n  \"Browser\": \"node.js/v24.12.0\",\n  \"Protocol-Version\": \"1.1\"\n}\n\n");
  }
  Respond(connection, "400 Bad Request", "WebSockets request was expected\r\n");
}

// --- WebSockets -------------------------------------------------------------------------------------------------

void InspectorServer::Upgrade(Connection& connection, const std::string& key) {
  std::string text = key + std::string(kGuid);
  uint8_t digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const uint8_t*>(text.data()), text.size(), digest);
  connection.out += "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Accept: " +
                    codec::Base64Encode(digest, codec::Base64Alphabet::kStandard) + "\r\n\r\n";
  connection.session = next_session_++;
  handler_.OnConnect(connection.session);
}

void InspectorServer::HandleFrames(Connection& connection) {
  while (connection.in.size() >= 2 && !connection.closing) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(connection.in.data());
    bool last = (bytes[0] & 0x80) != 0;
    uint8_t opcode = bytes[0] & 0x0f;
    bool masked = (bytes[1] & 0x80) != 0;
    uint64_t length = bytes[1] & 0x7f;
    size_t header = 2;
    if (length >= 126) {
      size_t extra = length == 126 ? 2 : 8;
      header += extra;
      if (connection.in.size() < header) return;
      length = 0;
      for (size_t i = 0; i < extra; i++) length = (length << 8) | bytes[2 + i];
    }
    // A client masks what it sends.
    if (!masked || length > kMaxMessage) {
      connection.out += Frame(8, {});
      connection.closing = true;
      return;
    }
    if (connection.in.size() < header + 4 + length) return;
    std::string payload = connection.in.substr(header + 4, length);
    for (size_t i = 0; i < payload.size(); i++) payload[i] = static_cast<char>(payload[i] ^ bytes[header + i % 4]);
    connection.in.erase(0, header + 4 + length);
    if (opcode == 8) {
      connection.out += Frame(8, payload);
      connection.closing = true;
    } else if (opcode == 9) {
      connection.out += Frame(10, payload);
    } else if (opcode <= 2) {
      connection.message += payload;
      if (last) handler_.OnMessage(connection.session, std::exchange(connection.message, {}));
    }
  }
}

}  // namespace gyre::modules

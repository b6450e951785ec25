// steady: an HTTP load at a constant rate, whose latencies leave nothing out.
// Request i is due at start + i / rate, whether or not the server keeps up; its latency counts from the moment it was
// due, not from when a connection was free for it. What is unanswered at the end counts with the time it has waited so
// far. Thread: one. It spins while the next request is less than kSpin away: give it a core of its own.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kSpin = 150'000;
// How long answers are awaited after the last request was due.
constexpr int64_t kGrace = 2 * kSecond;

constexpr char kUsage[] =
    "usage: steady --port N [--host A] [--path /p] [--conns N] [--rate N] [--secs N] [--warm N]\n"
    "Sends `rate` GET requests a second (0: as many as are answered, for the saturation) for `secs` seconds over "
    "`conns`\n"
    "keep-alive connections, after `warm` seconds that do not count. Prints one line of JSON, latencies in "
    "milliseconds.\n";

struct Options {
  std::string host = "127.0.0.1";
  std::string path = "/";
  int port = 0;
  int conns = 64;
  double rate = 0;
  double secs = 3;
  double warm = 1;
};

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "steady: %s%s%s\n", what, errno != 0 ? ": " : "", errno != 0 ? std::strerror(errno) : "");
  std::exit(1);
}

int64_t Now() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) break;
    const char* value = argv[i + 1];
    if (name == "--host")
      options.host = value;
    else if (name == "--path")
      options.path = value;
    else if (name == "--port")
      options.port = std::atoi(value);
    else if (name == "--conns")
      options.conns = std::atoi(value);
    else if (name == "--rate")
      options.rate = std::atof(value);
    else if (name == "--secs")
      options.secs = std::atof(value);
    else if (name == "--warm")
      options.warm = std::atof(value);
    else
      options.port = -1;
    if (options.port < 0) break;
  }
  if (argc % 2 == 0 || options.port <= 0 || options.conns < 1 || options.rate < 0 || options.secs <= 0) {
    std::fputs(kUsage, stderr);
    std::exit(9);
  }
  return options;
}

struct Connection {
  int fd = -1;
  int64_t due = 0;         // of the request in flight; 0: none
  int64_t free_since = 0;  // when it could have carried the next request
  std::string in;
};

// The bytes of a whole answer at the start of `in`; 0: more must come. Answers with a Content-Length only.
size_t AnswerSize(const std::string& in) {
  const size_t head = in.find("\r\n\r\n");
  if (head == std::string::npos) return 0;
  for (size_t line = in.find("\r\n"); line < head; line = in.find("\r\n", line + 2)) {
    constexpr std::string_view kName = "content-length:";
    const char* text = in.c_str() + line + 2;
    if (::strncasecmp(text, kName.data(), kName.size()) != 0) continue;
    const size_t size = head + 4 + std::strtoul(text + kName.size(), nullptr, 10);
    return in.size() >= size ? size : 0;
  }
  errno = 0;
  Fail("an answer has no Content-Length");
}

class Load {
 public:
  explicit Load(Options options)
      : options_(std::move(options)),
        request_("GET " + options_.path + " HTTP/1.1\r\nHost: " + options_.host + "\r\n\r\n") {}

  void Run() {
    ::prctl(PR_SET_TIMERSLACK, 1UL);
    Connect();
    start_ = Now();
    counted_from_ = start_ + static_cast<int64_t>(options_.warm * kSecond);
    end_ = counted_from_ + static_cast<int64_t>(options_.secs * kSecond);
    while (true) {
      const int64_t now = Now();
      SendDue(now);
      if (now >= end_ && (options_.rate == 0 || (NextDue() >= end_ && idle_.size() == connections_.size()))) break;
      if (now >= end_ + kGrace) break;
      Receive(now);
    }
    CountUnanswered(Now());
  }

  void Print() {
    std::ranges::sort(latencies_);
    const auto at = [&](double share) {
      if (latencies_.empty()) return 0.0;
      return latencies_[std::min(latencies_.size() - 1, static_cast<size_t>(share * latencies_.size()))] / 1e6;
    };
    std::ranges::sort(own_delays_);
    const double own = own_delays_.empty() ? 0 : own_delays_[own_delays_.size() * 99 / 100] / 1e6;
    std::printf(
        "{\"rate\":%.0f,\"answered\":%zu,\"unanswered\":%zu,\"bad\":%zu,\"answers_per_second\":%.1f,\"p50\":%.4f,"
        "\"p90\":%.4f,\"p99\":%.4f,\"p999\":%.4f,\"max\":%.4f,\"own_p99\":%.4f}\n",
        options_.rate, answered_, unanswered_, bad_, in_time_ / options_.secs, at(.5), at(.9), at(.99), at(.999),
        latencies_.empty() ? 0 : latencies_.back() / 1e6, own);
  }

 private:
  void Connect() {
    poll_ = ::epoll_create1(EPOLL_CLOEXEC);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(options_.port));
    if (::inet_pton(AF_INET, options_.host.c_str(), &address.sin_addr) != 1) Fail("--host wants an IPv4 address");
    connections_.resize(options_.conns);
    for (size_t i = 0; i < connections_.size(); ++i) {
      const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) Fail("connect");
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      ::fcntl(fd, F_SETFL, O_NONBLOCK);
      epoll_event event = {.events = EPOLLIN, .data = {.u64 = i}};
      ::epoll_ctl(poll_, EPOLL_CTL_ADD, fd, &event);
      connections_[i].fd = fd;
      idle_.push_back(i);
    }
  }

  int64_t NextDue() const {
    return start_ + static_cast<int64_t>(static_cast<double>(next_) * kSecond / options_.rate);
  }

  // Sends what is due, the oldest first, as far as connections are free.
  void SendDue(int64_t now) {
    while (!idle_.empty()) {
      const int64_t due = options_.rate > 0 ? NextDue() : now;
      if (due > now || due >= end_) return;
      Connection& connection = connections_[idle_.front()];
      idle_.pop_front();
      ++next_;
      connection.due = due;
      if (due >= counted_from_ && connection.free_since <= due) own_delays_.push_back(Now() - due);
      if (::send(connection.fd, request_.data(), request_.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(request_.size())) {
        Fail("send");
      }
    }
  }

  void Receive(int64_t now) {
    epoll_event events[128];
    timespec wait = {.tv_sec = 0, .tv_nsec = 50'000'000};
    if (!idle_.empty() && options_.rate > 0) {
      wait.tv_nsec = std::clamp<int64_t>(NextDue() - now - kSpin, 0, wait.tv_nsec);
    }
    const int ready = ::epoll_pwait2(poll_, events, 128, &wait, nullptr);
    for (int i = 0; i < ready; ++i) Read(events[i].data.u64);
  }

  void Read(size_t index) {
    Connection& connection = connections_[index];
    char buffer[65536];
    const ssize_t size = ::recv(connection.fd, buffer, sizeof buffer, 0);
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) Fail("the server closed a connection");
    connection.in.append(buffer, static_cast<size_t>(size));
    const size_t answer = AnswerSize(connection.in);
    if (answer == 0) return;
    if (connection.due == 0 || answer != connection.in.size()) Fail("an answer without a request");
    const int64_t now = Now();
    if (connection.due >= counted_from_) {
      latencies_.push_back(now - connection.due);
      ++answered_;
      if (connection.in.compare(0, 12, "HTTP/1.1 200") != 0) ++bad_;
    }
    if (now >= counted_from_ && now < end_) ++in_time_;
    connection.in.clear();
    connection.due = 0;
    connection.free_since = now;
    idle_.push_back(index);
  }

  void CountUnanswered(int64_t now) {
    if (options_.rate == 0) return;
    const auto count = [&](int64_t due) {
      if (due < counted_from_) return;
      latencies_.push_back(now - due);
      ++unanswered_;
    };
    for (const Connection& connection : connections_) {
      if (connection.due != 0) count(connection.due);
    }
    for (; NextDue() < end_; ++next_) count(NextDue());
  }

  const Options options_;
  const std::string request_;
  int poll_ = -1;
  std::vector<Connection> connections_;
  std::deque<size_t> idle_;
  int64_t start_ = 0;
  int64_t counted_from_ = 0;
  int64_t end_ = 0;
  uint64_t next_ = 0;
  size_t answered_ = 0;
  size_t unanswered_ = 0;
  size_t bad_ = 0;
  size_t in_time_ = 0;
  std::vector<int64_t> latencies_;
  std::vector<int64_t> own_delays_;  // of requests that waited for this program, not for a connection
};

}  // namespace

int main(int argc, char** argv) {
  Load load(Parse(argc, argv));
  load.Run();
  load.Print();
  return 0;
}

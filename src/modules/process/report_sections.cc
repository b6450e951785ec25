#include "modules/process/report_sections.h"

#include <arpa/inet.h>
#include <climits>
#include <dlfcn.h>
#include <execinfo.h>
#include <gnu/libc-version.h>
#include <ifaddrs.h>
#include <link.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cinttypes>
#include <cstring>
#include <fstream>
#include <string>

#include "base/clock.h"
#include "modules/process/env.h"

namespace gyre::modules::report {

namespace {

const uint64_t process_start_ns = base::MonotonicNanos();

std::string Hex(const void* pointer) {
  char text[24];
  snprintf(text, sizeof text, "0x%016" PRIxPTR, reinterpret_cast<uintptr_t>(pointer));
  return text;
}

/// The number behind `field` in a file of "Name:  123 kB" lines, in bytes.
uint64_t ProcField(const char* path, std::string_view field) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(field) && line.size() > field.size() && line[field.size()] == ':') {
      return strtoull(line.c_str() + field.size() + 1, nullptr, 10) * 1024;
    }
  }
  return 0;
}

double Seconds(const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; }

void WriteCpus(JsonWriter& out) {
  std::vector<std::string> models;
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) models.push_back(line.substr(colon + 2));
  }
  out.BeginArray("cpus");
  std::ifstream stat("/proc/stat");
  auto tick = static_cast<uint64_t>(1000 / sysconf(_SC_CLK_TCK));
  size_t index = 0;
  while (std::getline(stat, line)) {
    uint64_t t[6];
    unsigned id = 0;
    if (sscanf(line.c_str(), "cpu%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &id, &t[0],
               &t[1], &t[2], &t[3], &t[4], &t[5]) != 7) {
      continue;
    }
    uint64_t khz = 0;
    std::ifstream("/sys/devices/system/cpu/cpu" + std::to_string(id) + "/cpufreq/scaling_cur_freq") >> khz;
    out.BeginObject();
    out.Add("model", index < models.size() ? models[index] : std::string("unknown"));
    out.Add("speed", khz / 1000);
    constexpr const char* kNames[] = {"user", "nice", "sys", "idle"};
    for (int i = 0; i < 4; i++) out.Add(kNames[i], t[i] * tick);
    out.Add("irq", t[5] * tick);
    out.EndObject();
    index++;
  }
  out.EndArray();
}

std::string AddressText(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address == nullptr) return text;
  const void* bytes = address->sa_family == AF_INET
                          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr)
                          : &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  inet_ntop(address->sa_family, bytes, text, sizeof text);
  return text;
}

std::string HardwareAddress(const ifaddrs* list, const char* name) {
  unsigned char mac[6] = {};
  for (const ifaddrs* it = list; it != nullptr; it = it->ifa_next) {
    if (it->ifa_addr == nullptr || it->ifa_addr->sa_family != AF_PACKET || strcmp(it->ifa_name, name) != 0) continue;
    const auto* link = reinterpret_cast<const sockaddr_ll*>(it->ifa_addr);
    if (link->sll_halen >= sizeof mac) memcpy(mac, link->sll_addr, sizeof mac);
  }
  char text[18];
  snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
  return text;
}

// --- handles of the loop ---

/// An end of a TCP or UDP socket; null where there is none.
void WriteEndpoint(JsonWriter& out, const char* key, const sockaddr_storage& address, bool known, bool numeric) {
  if (!known) return out.AddNull(key);
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  std::string ip = AddressText(any);
  bool six = address.ss_family == AF_INET6;
  char host[NI_MAXHOST] = "";
  socklen_t size = six ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  if (numeric || getnameinfo(any, size, host, sizeof host, nullptr, 0, 0) != 0) snprintf(host, sizeof host, "%s", ip.c_str());
  out.BeginObject(key);
  out.Add("host", host);
  out.Add(six ? "ip6" : "ip4", ip);
  out.Add("port", ntohs(six ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                            : reinterpret_cast<const sockaddr_in&>(address).sin_port));
  out.EndObject();
}

std::string UnixName(const sockaddr_storage& address, socklen_t size) {
  const auto& unix_address = reinterpret_cast<const sockaddr_un&>(address);
  constexpr size_t kOffset = offsetof(sockaddr_un, sun_path);
  if (address.ss_family != AF_UNIX || size <= kOffset) return {};
  std::string name(unix_address.sun_path, size - kOffset);
  while (!name.empty() && name.back() == '\0') name.pop_back();
  return name;
}

void WriteSocket(JsonWriter& out, const loop::HandleFacts& facts, bool numeric) {
  sockaddr_storage local{};
  sockaddr_storage peer{};
  socklen_t local_size = sizeof local;
  socklen_t peer_size = sizeof peer;
  bool has_local = getsockname(facts.fd, reinterpret_cast<sockaddr*>(&local), &local_size) == 0;
  bool has_peer = getpeername(facts.fd, reinterpret_cast<sockaddr*>(&peer), &peer_size) == 0;
  if (strcmp(facts.type, "pipe") == 0) {
    std::string local_name = has_local ? UnixName(local, local_size) : std::string();
    std::string peer_name = has_peer ? UnixName(peer, peer_size) : std::string();
    local_name.empty() ? out.AddNull("localEndpoint") : out.Add("localEndpoint", local_name);
    peer_name.empty() ? out.AddNull("remoteEndpoint") : out.Add("remoteEndpoint", peer_name);
  } else {
    WriteEndpoint(out, "localEndpoint", local, has_local, numeric);
    WriteEndpoint(out, "remoteEndpoint", peer, has_peer, numeric);
  }
  int size = 0;
  socklen_t length = sizeof size;
  if (getsockopt(facts.fd, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0) out.Add("sendBufferSize", size);
  length = sizeof size;
  if (getsockopt(facts.fd, SOL_SOCKET, SO_RCVBUF, &size, &length) == 0) out.Add("recvBufferSize", size);
}

void WriteHandle(JsonWriter& out, loop::Handle& handle, bool numeric) {
  loop::HandleFacts facts = handle.Describe();
  std::string_view type = facts.type;
  out.BeginObject();
  out.Add("type", type);
  out.Add("is_active", handle.IsActive());
  out.Add("is_referenced", handle.HasRef());
  out.Add("address", Hex(&handle));
  bool stream = type == "tcp" || type == "pipe" || type == "tty";
  if ((stream && type != "tty") || type == "udp") WriteSocket(out, facts, numeric);
  if (facts.fd >= 0) out.Add("fd", facts.fd);
  if (stream || type == "udp") out.Add("writeQueueSize", facts.queued_bytes);
  if (type == "udp") out.Add("writeQueueCount", facts.queued_count);
  if (stream) {
    out.Add("readable", facts.readable);
    out.Add("writable", facts.writable);
  }
  if (type == "timer") {
    out.Add("repeat", facts.repeat_ms);
    out.Add("firesInMsFromNow", facts.due_ms);
    out.Add("expired", handle.IsActive() && facts.due_ms == 0);
  }
  if (type == "process") out.Add("pid", facts.number);
  if (type == "signal") {
    out.Add("signum", facts.number);
    const char* name = sigabbrev_np(facts.number);
    out.Add("signal", name != nullptr ? std::string("SIG") + name : std::string());
  }
  if (type == "fs_event") out.Add("filename", facts.path);
  out.EndObject();
}

void WriteLimit(JsonWriter& out, const char* name, int which, rlim_t unit) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource_t>(which), &limit) != 0) return;
  out.BeginObject(name);
  auto one = [&](const char* key, rlim_t value) {
    value == RLIM_INFINITY ? out.Add(key, "unlimited") : out.Add(key, static_cast<uint64_t>(value / unit));
  };
  one("soft", limit.rlim_cur);
  one("hard", limit.rlim_max);
  out.EndObject();
}

void WriteTimes(JsonWriter& out, const rusage& usage) {
  double user = Seconds(usage.ru_utime);
  double system = Seconds(usage.ru_stime);
  double lived = static_cast<double>(base::MonotonicNanos() - process_start_ns) / 1e9;
  if (lived < 1) lived = 1;
  out.Add("userCpuSeconds", user);
  out.Add("kernelCpuSeconds", system);
  out.Add("cpuConsumptionPercent", (user + system) / lived * 100);
  out.Add("userCpuConsumptionPercent", user / lived * 100);
  out.Add("kernelCpuConsumptionPercent", system / lived * 100);
}

void WriteFsActivity(JsonWriter& out, const rusage& usage) {
  out.BeginObject("fsActivity");
  out.Add("reads", usage.ru_inblock);
  out.Add("writes", usage.ru_oublock);
  out.EndObject();
}

}  // namespace

void WriteProgram(JsonWriter& out) {
  char cwd[PATH_MAX];
  out.Add("cwd", getcwd(cwd, sizeof cwd) != nullptr ? cwd : "");
  out.BeginArray("commandLine");
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string argument;
  while (std::getline(file, argument, '\0')) out.Element(argument);
  out.EndArray();
}

void WritePlatform(JsonWriter& out) {
  out.Add("glibcVersionRuntime", gnu_get_libc_version());
  out.Add("glibcVersionCompiler", std::to_string(__GLIBC__) + "." + std::to_string(__GLIBC_MINOR__));
  out.Add("wordSize", static_cast<int>(sizeof(void*) * CHAR_BIT));
  out.Add("arch", "x64");
  out.Add("platform", "linux");
}

void WriteSystem(JsonWriter& out) {
  utsname names{};
  uname(&names);
  out.Add("osName", names.sysname);
  out.Add("osRelease", names.release);
  out.Add("osVersion", names.version);
  out.Add("osMachine", names.machine);
  WriteCpus(out);
}

void WriteHost(JsonWriter& out) {
  utsname names{};
  uname(&names);
  out.Add("host", names.nodename);
}

void WriteNetworkInterfaces(JsonWriter& out) {
  out.BeginArray("networkInterfaces");
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) == 0) {
    for (const ifaddrs* it = list; it != nullptr; it = it->ifa_next) {
      constexpr unsigned kActive = IFF_UP | IFF_RUNNING;
      if (it->ifa_addr == nullptr || (it->ifa_flags & kActive) != kActive) continue;
      int family = it->ifa_addr->sa_family;
      if (family != AF_INET && family != AF_INET6) continue;
      out.BeginObject();
      out.Add("name", it->ifa_name);
      out.Add("internal", (it->ifa_flags & IFF_LOOPBACK) != 0);
      out.Add("mac", HardwareAddress(list, it->ifa_name));
      out.Add("address", AddressText(it->ifa_addr));
      out.Add("netmask", AddressText(it->ifa_netmask));
      out.Add("family", family == AF_INET ? "IPv4" : "IPv6");
      if (family == AF_INET6) out.Add("scopeid", reinterpret_cast<const sockaddr_in6*>(it->ifa_addr)->sin6_scope_id);
      out.EndObject();
    }
    freeifaddrs(list);
  }
  out.EndArray();
}

void WriteHeap(JsonWriter& out, v8::Isolate* isolate) {
  v8::HeapStatistics heap;
  isolate->GetHeapStatistics(&heap);
  out.BeginObject("javascriptHeap");
  out.Add("totalMemory", heap.total_heap_size());
  out.Add("executableMemory", heap.total_heap_size_executable());
  out.Add("totalCommittedMemory", heap.total_physical_size());
  out.Add("availableMemory", heap.total_available_size());
  out.Add("totalGlobalHandlesMemory", heap.total_global_handles_size());
  out.Add("usedGlobalHandlesMemory", heap.used_global_handles_size());
  out.Add("usedMemory", heap.used_heap_size());
  out.Add("memoryLimit", heap.heap_size_limit());
  out.Add("mallocedMemory", heap.malloced_memory());
  out.Add("externalMemory", heap.external_memory());
  out.Add("peakMallocedMemory", heap.peak_malloced_memory());
  out.Add("nativeContextCount", heap.number_of_native_contexts());
  out.Add("detachedContextCount", heap.number_of_detached_contexts());
  out.Add("doesZapGarbage", static_cast<int>(heap.does_zap_garbage()));
  out.BeginObject("heapSpaces");
  for (size_t i = 0; i < isolate->NumberOfHeapSpaces(); i++) {
    v8::HeapSpaceStatistics space;
    if (!isolate->GetHeapSpaceStatistics(&space, i)) continue;
    out.BeginObject(space.space_name());
    out.Add("memorySize", space.space_size());
    out.Add("committedMemory", space.physical_space_size());
    out.Add("capacity", space.space_used_size() + space.space_available_size());
    out.Add("used", space.space_used_size());
    out.Add("available", space.space_available_size());
    out.EndObject();
  }
  out.EndObject();
  out.EndObject();
}

void WriteNativeStack(JsonWriter& out) {
  out.BeginArray("nativeStack");
  void* frames[256];
  int count = backtrace(frames, 256);
  for (int i = 1; i < count; i++) {
    Dl_info info{};
    std::string symbol;
    if (dladdr(frames[i], &info) != 0) {
      if (info.dli_sname != nullptr) symbol = info.dli_sname;
      if (info.dli_fname != nullptr) symbol += std::string(symbol.empty() ? "[" : " [") + info.dli_fname + "]";
    }
    out.BeginObject();
    out.Add("pc", Hex(frames[i]));
    out.Add("symbol", symbol);
    out.EndObject();
  }
  out.EndArray();
}

void WriteUsage(JsonWriter& out) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  out.BeginObject("resourceUsage");
  uint64_t total = ProcField("/proc/meminfo", "MemTotal");
  uint64_t available = ProcField("/proc/meminfo", "MemAvailable");
  out.Add("free_memory", available);
  out.Add("total_memory", total);
  out.Add("rss", ProcField("/proc/self/status", "VmRSS"));
  uint64_t limit = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit) out.Add("constrained_memory", limit);
  out.Add("available_memory", available);
  WriteTimes(out, usage);
  out.Add("maxRss", static_cast<uint64_t>(usage.ru_maxrss) * 1024);
  out.BeginObject("pageFaults");
  out.Add("IORequired", usage.ru_majflt);
  out.Add("IONotRequired", usage.ru_minflt);
  out.EndObject();
  WriteFsActivity(out, usage);
  out.EndObject();
  rusage thread{};
  if (getrusage(RUSAGE_THREAD, &thread) != 0) return;
  out.BeginObject("uvthreadResourceUsage");
  WriteTimes(out, thread);
  WriteFsActivity(out, thread);
  out.EndObject();
}

void WriteLoop(JsonWriter& out, loop::Loop& loop, bool numeric) {
  out.BeginArray("libuv");
  loop.ForEachHandle([&](loop::Handle& handle) { WriteHandle(out, handle, numeric); });
  out.BeginObject();
  out.Add("type", "loop");
  out.Add("is_active", loop.Alive());
  out.Add("address", Hex(&loop));
  out.Add("loopIdleTimeSeconds", static_cast<double>(loop.metrics().idle_ns) / 1e9);
  out.EndObject();
  out.EndArray();
}

void WriteEnvironment(JsonWriter& out) {
  out.BeginObject("environmentVariables");
  for (const std::string& entry : EnvironmentEntries()) {
    size_t equals = entry.find('=');
    if (equals != std::string::npos) out.Add(entry.substr(0, equals), entry.substr(equals + 1));
  }
  out.EndObject();
}

void WriteLimits(JsonWriter& out) {
  out.BeginObject("userLimits");
  WriteLimit(out, "core_file_size_blocks", RLIMIT_CORE, 512);
  WriteLimit(out, "data_seg_size_bytes", RLIMIT_DATA, 1);
  WriteLimit(out, "file_size_blocks", RLIMIT_FSIZE, 512);
  WriteLimit(out, "max_locked_memory_bytes", RLIMIT_MEMLOCK, 1);
  WriteLimit(out, "max_memory_size_bytes", RLIMIT_RSS, 1);
  WriteLimit(out, "open_files", RLIMIT_NOFILE, 1);
  WriteLimit(out, "stack_size_bytes", RLIMIT_STACK, 1);
  WriteLimit(out, "cpu_time_seconds", RLIMIT_CPU, 1);
  WriteLimit(out, "max_user_processes", RLIMIT_NPROC, 1);
  WriteLimit(out, "virtual_memory_bytes", RLIMIT_AS, 1);
  out.EndObject();
}

void WriteSharedObjects(JsonWriter& out) {
  out.BeginArray("sharedObjects");
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        if (info->dlpi_name != nullptr && *info->dlpi_name != '\0') static_cast<JsonWriter*>(data)->Element(info->dlpi_name);
        return 0;
      },
      &out);
  out.EndArray();
}

}  // namespace gyre::modules::report

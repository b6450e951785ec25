// The native half of node:os. Thread: the isolate's; every function here answers at once and keeps no state.

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <pwd.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/convert.h"

namespace gyre::modules {
namespace {

using LocalValue = v8::Local<v8::Value>;

// Functions that can fail return the negative errno as a number; the JavaScript half makes the error.
LocalValue Failed(Js& js, int err) { return js.Int(-err); }

v8::Local<v8::Array> MakeArray(Js& js, std::vector<LocalValue>& values) {
  return v8::Array::New(js.isolate, values.data(), values.size());
}

LocalValue Hostname(Js& js) {
  char name[256];
  if (gethostname(name, sizeof(name)) != 0) return Failed(js, errno);
  name[sizeof(name) - 1] = '\0';
  return js.Str(name);
}

v8::Local<v8::Array> LoadAvg(Js& js) {
  double load[3] = {0, 0, 0};
  if (getloadavg(load, 3) < 0) load[0] = load[1] = load[2] = 0;
  std::vector<LocalValue> values = {js.Num(load[0]), js.Num(load[1]), js.Num(load[2])};
  return MakeArray(js, values);
}

LocalValue Uptime(Js& js) {
  timespec now;
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) return Failed(js, errno);
  return js.Num(static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec / 10'000'000) / 100);
}

/// A field of /proc/meminfo in bytes; 0 if it is not there.
double MemInfo(const char* field) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  uint64_t kilobytes = 0;
  std::string line;
  while (std::getline(file, line)) {
    size_t size = std::strlen(field);
    if (line.compare(0, size, field) != 0 || line[size] != ':') continue;
    if (std::sscanf(line.c_str() + size + 1, "%" SCNu64, &kilobytes) == 1) return static_cast<double>(kilobytes) * 1024;
  }
  return 0;
}

double TotalMem(Js&) {
  double total = MemInfo("MemTotal");
  struct sysinfo info;
  if (total == 0 && sysinfo(&info) == 0) total = static_cast<double>(info.totalram) * info.mem_unit;
  return total;
}

double FreeMem(Js&) {
  double available = MemInfo("MemAvailable");
  struct sysinfo info;
  if (available == 0 && sysinfo(&info) == 0) available = static_cast<double>(info.freeram) * info.mem_unit;
  return available;
}

int32_t AvailableParallelism(Js&) {
  cpu_set_t set;
  int count = 0;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) count = CPU_COUNT(&set);
  if (count <= 0) count = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return count > 0 ? count : 1;
}

struct Cpu {
  std::string model = "unknown";
  double speed = 0;
  double times[5] = {0, 0, 0, 0, 0};  // user, nice, sys, idle, irq
};

std::vector<Cpu> ReadCpuTimes() {
  std::vector<Cpu> cpus;
  std::ifstream stat("/proc/stat");
  std::string line;
  double tick = 1000.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  while (std::getline(stat, line)) {
    unsigned id;
    uint64_t user, nice, sys, idle, iowait, irq;
    int got = std::sscanf(line.c_str(), "cpu%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                          &id, &user, &nice, &sys, &idle, &iowait, &irq);
    if (got != 7) continue;
    Cpu cpu;
    const uint64_t ticks[5] = {user, nice, sys, idle, irq};
    for (int i = 0; i < 5; i++) cpu.times[i] = static_cast<double>(ticks[i]) * tick;
    std::ifstream frequency("/sys/devices/system/cpu/cpu" + std::to_string(id) + "/cpufreq/scaling_cur_freq");
    double khz = 0;
    if (frequency >> khz) cpu.speed = static_cast<double>(static_cast<int64_t>(khz / 1000));
    cpus.push_back(std::move(cpu));
  }
  return cpus;
}

void ReadCpuModels(std::vector<Cpu>& cpus) {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  size_t index = 0;
  while (std::getline(info, line) && index < cpus.size()) {
    if (line.compare(0, 10, "model name") != 0) continue;
    size_t colon = line.find(": ");
    if (colon != std::string::npos) cpus[index++].model = line.substr(colon + 2);
  }
}

v8::Local<v8::Array> Cpus(Js& js) {
  std::vector<Cpu> cpus = ReadCpuTimes();
  ReadCpuModels(cpus);
  std::vector<LocalValue> values;
  for (const Cpu& cpu : cpus) {
    values.push_back(js.Str(cpu.model));
    values.push_back(js.Num(cpu.speed));
    for (double time : cpu.times) values.push_back(js.Num(time));
  }
  return MakeArray(js, values);
}

std::string HardwareAddress(const ifaddrs* list, const char* name) {
  unsigned char mac[6] = {};
  for (const ifaddrs* it = list; it != nullptr; it = it->ifa_next) {
    if (it->ifa_addr == nullptr || it->ifa_addr->sa_family != AF_PACKET || std::strcmp(it->ifa_name, name) != 0)
      continue;
    const auto* link = reinterpret_cast<const sockaddr_ll*>(it->ifa_addr);
    if (link->sll_halen >= sizeof(mac)) std::memcpy(mac, link->sll_addr, sizeof(mac));
  }
  char text[18];
  std::snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
  return text;
}

std::string AddressText(const sockaddr* address, int family) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address == nullptr) return text;
  const void* bytes = family == AF_INET
                          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr)
                          : &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  inet_ntop(family, bytes, text, sizeof(text));
  return text;
}

LocalValue NetworkInterfaces(Js& js) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return Failed(js, errno);
  std::vector<LocalValue> values;
  for (const ifaddrs* it = list; it != nullptr; it = it->ifa_next) {
    constexpr unsigned kActive = IFF_UP | IFF_RUNNING;
    if (it->ifa_addr == nullptr || (it->ifa_flags & kActive) != kActive) continue;
    int family = it->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    values.push_back(js.Str(it->ifa_name));
    values.push_back(js.Str(AddressText(it->ifa_addr, family)));
    values.push_back(js.Str(AddressText(it->ifa_netmask, family)));
    values.push_back(js.Str(family == AF_INET ? "IPv4" : "IPv6"));
    values.push_back(js.Str(HardwareAddress(list, it->ifa_name)));
    values.push_back(js.Bool((it->ifa_flags & IFF_LOOPBACK) != 0));
    bool six = family == AF_INET6;
    values.push_back(six ? js.Uint(reinterpret_cast<const sockaddr_in6*>(it->ifa_addr)->sin6_scope_id) : js.Int(-1));
  }
  freeifaddrs(list);
  return MakeArray(js, values);
}

/// Looks the effective user up; 0 or the errno.
int LookUpUser(passwd& user, std::vector<char>& memory) {
  memory.resize(2000);
  for (;;) {
    passwd* found = nullptr;
    int err = getpwuid_r(geteuid(), &user, memory.data(), memory.size(), &found);
    if (err == ERANGE) {
      memory.resize(memory.size() * 2);
      continue;
    }
    if (err != 0) return err;
    return found == nullptr ? ENOENT : 0;
  }
}

LocalValue HomeDir(Js& js) {
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return js.Str(home);
  passwd user;
  std::vector<char> memory;
  int err = LookUpUser(user, memory);
  return err != 0 ? Failed(js, err) : LocalValue(js.Str(user.pw_dir));
}

LocalValue Bytes(Js& js, const char* text) {
  if (text == nullptr) return js.Null();
  size_t size = std::strlen(text);
  v8::Local<v8::ArrayBuffer> buffer = v8::ArrayBuffer::New(js.isolate, size);
  if (size > 0) std::memcpy(buffer->Data(), text, size);
  return v8::Uint8Array::New(buffer, 0, size);
}

LocalValue UserInfo(Js& js) {
  passwd user;
  std::vector<char> memory;
  int err = LookUpUser(user, memory);
  if (err != 0) return Failed(js, err);
  std::vector<LocalValue> values = {js.Num(user.pw_uid), js.Num(user.pw_gid), Bytes(js, user.pw_name),
                                    Bytes(js, user.pw_dir), Bytes(js, user.pw_shell)};
  return MakeArray(js, values);
}

int32_t SetPriority(Js&, int32_t pid, int32_t priority) {
  return setpriority(PRIO_PROCESS, static_cast<id_t>(pid), priority) == 0 ? 0 : -errno;
}

v8::Local<v8::Array> GetPriority(Js& js, int32_t pid) {
  errno = 0;
  int priority = getpriority(PRIO_PROCESS, static_cast<id_t>(pid));
  std::vector<LocalValue> values = {js.Int(-errno), js.Int(priority)};
  return MakeArray(js, values);
}

v8::Local<v8::Array> Uname(Js& js) {
  utsname name{};
  uname(&name);
  std::vector<LocalValue> values = {js.Str(name.sysname), js.Str(name.version), js.Str(name.release),
                                    js.Str(name.machine)};
  return MakeArray(js, values);
}

constexpr NativeFunction kFunctions[] = {
    Fn<&Hostname>("hostname"),
    Fn<&LoadAvg>("loadavg"),
    Fn<&Uptime>("uptime"),
    Fn<&TotalMem>("totalmem"),
    Fn<&FreeMem>("freemem"),
    Fn<&AvailableParallelism>("availableParallelism"),
    Fn<&Cpus>("cpus"),
    Fn<&NetworkInterfaces>("networkInterfaces"),
    Fn<&HomeDir>("homedir"),
    Fn<&UserInfo>("userInfo"),
    Fn<&SetPriority>("setPriority"),
    Fn<&GetPriority>("getPriority"),
    Fn<&Uname>("uname"),
};

}  // namespace

extern const NativeModule kOsModule;
const NativeModule kOsModule = {.name = "os", .functions = kFunctions};

}  // namespace gyre::modules

// The native half of node:process.
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/clock.h"
#include "bridge/module.h"
#include "loop/loop.h"
#include "modules/process/env.h"
#include "modules/process/versions.h"

namespace gyre::modules {

namespace {

base::Result<std::string> Cwd(Js&) {
  char path[PATH_MAX];
  if (getcwd(path, sizeof path) == nullptr) return base::ErrFromErrno("uv_cwd");
  return std::string(path);
}

base::Result<void> Chdir(Js& js, std::string path) {
  if (chdir(path.c_str()) == 0) return {};
  int error = errno;
  base::Result<std::string> cwd = Cwd(js);
  return base::Err(error, "chdir", cwd.has_value() ? *cwd : "", path);
}

uint32_t Umask(Js&, std::optional<uint32_t> mask) {
  mode_t old = umask(mask ? static_cast<mode_t>(*mask) : 0);
  if (!mask) umask(old);
  return static_cast<uint32_t>(old);
}

/// hrtime(Uint32Array[3]): seconds high, seconds low, nanoseconds.
void Hrtime(Js&, BufferView out) {
  if (out.size() < 3 * sizeof(uint32_t)) return;
  uint64_t now = base::MonotonicNanos();
  uint64_t seconds = now / 1'000'000'000;
  uint32_t fields[3] = {static_cast<uint32_t>(seconds >> 32), static_cast<uint32_t>(seconds),
                        static_cast<uint32_t>(now % 1'000'000'000)};
  memcpy(out.data(), fields, sizeof fields);
}

v8::Local<v8::BigInt> HrtimeBigInt(Js& js) { return v8::BigInt::NewFromUnsigned(js.isolate, base::MonotonicNanos()); }

uint64_t start_ns = base::MonotonicNanos();
double Uptime(Js&) { return static_cast<double>(base::MonotonicNanos() - start_ns) / 1e9; }
double StartTime(Js&) { return static_cast<double>(start_ns); }

double ResidentBytes() {
  FILE* file = fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  long total = 0;
  long resident = 0;
  if (fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
  fclose(file);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double Rss(Js&) { return ResidentBytes(); }

/// memoryUsage(Float64Array[5]): rss, heapTotal, heapUsed, external, arrayBuffers.
void MemoryUsage(Js& js, BufferView out) {
  if (out.size() < 5 * sizeof(double)) return;
  v8::HeapStatistics heap;
  js.isolate->GetHeapStatistics(&heap);
  double fields[5] = {ResidentBytes(), static_cast<double>(heap.total_heap_size()),
                      static_cast<double>(heap.used_heap_size()), static_cast<double>(heap.external_memory()),
                      static_cast<double>(heap.external_memory())};
  memcpy(out.data(), fields, sizeof fields);
}

double Micros(const timeval& time) { return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec); }

v8::Local<v8::Array> Usage(Js& js, int who) {
  rusage usage{};
  getrusage(who, &usage);
  const double fields[] = {
      Micros(usage.ru_utime),
      Micros(usage.ru_stime),
      static_cast<double>(usage.ru_maxrss),
      static_cast<double>(usage.ru_ixrss),
      static_cast<double>(usage.ru_idrss),
      static_cast<double>(usage.ru_isrss),
      static_cast<double>(usage.ru_minflt),
      static_cast<double>(usage.ru_majflt),
      static_cast<double>(usage.ru_nswap),
      static_cast<double>(usage.ru_inblock),
      static_cast<double>(usage.ru_oublock),
      static_cast<double>(usage.ru_msgsnd),
      static_cast<double>(usage.ru_msgrcv),
      static_cast<double>(usage.ru_nsignals),
      static_cast<double>(usage.ru_nvcsw),
      static_cast<double>(usage.ru_nivcsw),
  };
  v8::Local<v8::Array> array = v8::Array::New(js.isolate, std::size(fields));
  for (uint32_t i = 0; i < std::size(fields); i++) js.Set(array, i, js.Num(fields[i]));
  return array;
}

v8::Local<v8::Array> ResourceUsage(Js& js) { return Usage(js, RUSAGE_SELF); }
v8::Local<v8::Array> ThreadUsage(Js& js) { return Usage(js, RUSAGE_THREAD); }

/// execve(file, args, "NAME=value" ...): does not return where it succeeds. Descriptors that are not for the new program
/// have O_CLOEXEC already; the standard ones must not be non-blocking there.
base::Result<void> Execve(Js&, std::string file, std::vector<std::string> args, std::vector<std::string> env) {
  auto pointers = [](std::vector<std::string>& list) {
    std::vector<char*> result;
    for (std::string& text : list) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  };
  for (int fd = 0; fd <= 2; fd++) {
    int flags = fcntl(fd, F_GETFD);
    if (flags != -1) fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC);
    int status = fcntl(fd, F_GETFL);
    if (status != -1) fcntl(fd, F_SETFL, status & ~O_NONBLOCK);
  }
  fflush(stdout);
  fflush(stderr);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  execve(file.c_str(), pointers(args).data(), pointers(env).data());
  return base::ErrFromErrno("execve");
}

/// The limit that a control group sets, or 0.
double ConstrainedMemory(Js&) {
  FILE* file = fopen("/sys/fs/cgroup/memory.max", "re");
  if (file == nullptr) return 0;
  unsigned long long limit = 0;
  if (fscanf(file, "%llu", &limit) != 1) limit = 0;
  fclose(file);
  return static_cast<double>(limit);
}

double AvailableMemory(Js&) {
  FILE* file = fopen("/proc/meminfo", "re");
  if (file == nullptr) return 0;
  char line[256];
  unsigned long long kib = 0;
  while (fgets(line, sizeof line, file) != nullptr) {
    if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1) break;
  }
  fclose(file);
  return static_cast<double>(kib) * 1024;
}

/// Negative errno, or 0.
int32_t Kill(Js&, int32_t pid, int32_t signal) { return kill(pid, signal) == 0 ? 0 : -errno; }

void Abort(Js&) { abort(); }

void RawDebug(Js&, std::string text) {
  text += '\n';
  size_t written = 0;
  while (written < text.size()) {
    ssize_t count = write(STDERR_FILENO, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += static_cast<size_t>(count);
  }
}

uint32_t Getuid(Js&) { return getuid(); }
uint32_t Geteuid(Js&) { return geteuid(); }
uint32_t Getgid(Js&) { return getgid(); }
uint32_t Getegid(Js&) { return getegid(); }
int32_t Getpid(Js&) { return getpid(); }
int32_t Getppid(Js&) { return getppid(); }

v8::Local<v8::Array> Getgroups(Js& js) {
  int count = getgroups(0, nullptr);
  std::vector<gid_t> groups(static_cast<size_t>(std::max(count, 0)));
  count = getgroups(count, groups.data());
  groups.resize(static_cast<size_t>(std::max(count, 0)));
  // POSIX leaves it open whether the effective group is among them.
  if (std::find(groups.begin(), groups.end(), getegid()) == groups.end()) groups.push_back(getegid());
  v8::Local<v8::Array> array = v8::Array::New(js.isolate);
  uint32_t length = 0;
  for (gid_t group : groups) js.Set(array, length++, js.Uint(group));
  return array;
}

/// The id of a user or group given as a number or a name; nullopt if there is none of that name.
std::optional<uint32_t> UserId(Js& js, v8::Local<v8::Value> value) {
  if (value->IsUint32()) return value.As<v8::Uint32>()->Value();
  passwd entry{};
  passwd* found = nullptr;
  char space[8192];
  if (getpwnam_r(js.Utf8(value).c_str(), &entry, space, sizeof space, &found) != 0 || found == nullptr) return {};
  return entry.pw_uid;
}
std::optional<uint32_t> GroupId(Js& js, v8::Local<v8::Value> value) {
  if (value->IsUint32()) return value.As<v8::Uint32>()->Value();
  group entry{};
  group* found = nullptr;
  char space[8192];
  if (getgrnam_r(js.Utf8(value).c_str(), &entry, space, sizeof space, &found) != 0 || found == nullptr) return {};
  return entry.gr_gid;
}

// Each returns 0, or 1 for an unknown name, and throws for a refused call.
template <auto Look, auto Call>
void SetId(Js& js, const Info& info, const char* syscall) {
  std::optional<uint32_t> id = Look(js, info[0]);
  if (!id) return info.GetReturnValue().Set(1);
  if (Call(*id) != 0) return js.ThrowSystem({errno, syscall, "", ""});
  info.GetReturnValue().Set(0);
}
void Setuid(const Info& info) {
  Js js(info);
  SetId<&UserId, &setuid>(js, info, "setuid");
}
void Seteuid(const Info& info) {
  Js js(info);
  SetId<&UserId, &seteuid>(js, info, "seteuid");
}
void Setgid(const Info& info) {
  Js js(info);
  SetId<&GroupId, &setgid>(js, info, "setgid");
}
void Setegid(const Info& info) {
  Js js(info);
  SetId<&GroupId, &setegid>(js, info, "setegid");
}

/// 0, or the 1-based place of the group that is unknown.
void Setgroups(const Info& info) {
  Js js(info);
  if (!info[0]->IsArray()) return;
  v8::Local<v8::Array> list = info[0].As<v8::Array>();
  std::vector<gid_t> groups;
  for (uint32_t i = 0; i < list->Length(); i++) {
    v8::Local<v8::Value> item;
    if (!list->Get(js.context, i).ToLocal(&item)) return;
    std::optional<uint32_t> id = GroupId(js, item);
    if (!id) return info.GetReturnValue().Set(i + 1);
    groups.push_back(*id);
  }
  if (setgroups(groups.size(), groups.data()) != 0) return js.ThrowSystem({errno, "setgroups", "", ""});
  info.GetReturnValue().Set(0);
}

/// 0, 1 for an unknown user, 2 for an unknown group.
void Initgroups(const Info& info) {
  Js js(info);
  std::optional<uint32_t> id = GroupId(js, info[1]);
  if (!id) return info.GetReturnValue().Set(2);
  std::string user;
  if (info[0]->IsUint32()) {
    passwd* entry = getpwuid(info[0].As<v8::Uint32>()->Value());
    if (entry == nullptr) return info.GetReturnValue().Set(1);
    user = entry->pw_name;
  } else {
    user = js.Utf8(info[0]);
    if (!UserId(js, info[0])) return info.GetReturnValue().Set(1);
  }
  if (initgroups(user.c_str(), *id) != 0) return js.ThrowSystem({errno, "initgroups", "", ""});
  info.GetReturnValue().Set(0);
}

/// Where the kernel looks for the command line, which `ps` shows.
std::span<char> command_line;

void SetTitle(Js&, std::string title) {
  prctl(PR_SET_NAME, title.c_str());
  if (command_line.empty()) return;
  size_t length = std::min(title.size(), command_line.size() - 1);
  std::fill(command_line.begin(), command_line.end(), '\0');
  std::copy_n(title.begin(), length, command_line.begin());
}

/// Names of what keeps the loop alive, natively known.
v8::Local<v8::Array> ActiveHandles(Js& js) {
  v8::Local<v8::Array> array = v8::Array::New(js.isolate);
  return array;
}

/// The milliseconds of the loop's idle time.
double LoopIdleTime(Js& js) { return static_cast<double>(js.realm.loop().metrics().idle_ns) / 1e6; }

constexpr NativeFunction kFunctions[] = {
    Fn<&Cwd>("cwd"),
    Fn<&Chdir>("chdir"),
    Fn<&Umask>("umask"),
    Fn<&Hrtime>("hrtime"),
    Fn<&HrtimeBigInt>("hrtimeBigInt"),
    Fn<&Uptime>("uptime"),
    Fn<&StartTime>("startTime"),
    Fn<&Rss>("rss"),
    Fn<&MemoryUsage>("memoryUsage"),
    Fn<&ResourceUsage>("resourceUsage"),
    Fn<&ThreadUsage>("threadUsage"),
    Fn<&ConstrainedMemory>("constrainedMemory"),
    Fn<&AvailableMemory>("availableMemory"),
    Fn<&Kill>("kill"),
    Fn<&Abort>("abort"),
    Fn<&RawDebug>("rawDebug"),
    Fn<&Getuid>("getuid"),
    Fn<&Geteuid>("geteuid"),
    Fn<&Getgid>("getgid"),
    Fn<&Getegid>("getegid"),
    Fn<&Getpid>("getpid"),
    Fn<&Getppid>("getppid"),
    Fn<&Getgroups>("getgroups"),
    RawFn("setuid", &Setuid, 1),
    RawFn("seteuid", &Seteuid, 1),
    RawFn("setgid", &Setgid, 1),
    RawFn("setegid", &Setegid, 1),
    RawFn("setgroups", &Setgroups, 1),
    RawFn("initgroups", &Initgroups, 2),
    Fn<&SetTitle>("setTitle"),
    Fn<&ActiveHandles>("activeHandles"),
    Fn<&LoopIdleTime>("loopIdleTime"),
    Fn<&Execve>("execve"),
    Fn<&CreateEnv>("createEnv"),
    Fn<&CreateOwnEnv>("createOwnEnv"),
    Fn<&CreateSharedEnvCopy>("copyEnv"),
};

void Init(Js& js, v8::Local<v8::Object> target) { js.Set(target, "versions", LinkedVersions(js)); }

}  // namespace

void SetCommandLine(int argc, char** argv) {
  if (argc == 0) return;
  char* end = argv[0];
  // The arguments lie one behind the other.
  for (int i = 0; i < argc && argv[i] == end; i++) end = argv[i] + strlen(argv[i]) + 1;
  command_line = {argv[0], end};
}

extern const NativeModule kProcessModule;
const NativeModule kProcessModule = {.name = "process", .functions = kFunctions, .init = &Init};

}  // namespace gyre::modules

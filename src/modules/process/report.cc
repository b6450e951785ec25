// binding('report'): configuration, the document as a whole, and where it goes. Its sections are in report_sections.cc.
#include "modules/process/report.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <mutex>

#include "bridge/module.h"
#include "modules/process/json_writer.h"
#include "modules/process/report_sections.h"

namespace gyre::modules {

namespace {

struct Config {
  bool compact = false;
  bool exclude_network = false;
  bool exclude_env = false;
  bool on_fatal_error = false;
  std::string directory;
  std::string filename;
  std::vector<std::string> versions;  // name, value, ...
  std::vector<std::string> release;   // the same
};

std::mutex config_mutex;
Config shared_config;
std::atomic<WorkerReports> worker_reports{nullptr};
std::atomic<uint32_t> sequence{0};

Config CurrentConfig() {
  std::lock_guard lock(config_mutex);
  return shared_config;
}

void WritePairs(JsonWriter& out, std::string_view key, const std::vector<std::string>& pairs) {
  out.BeginObject(key);
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) out.Add(pairs[i], pairs[i + 1]);
  out.EndObject();
}

void WriteHeader(JsonWriter& out, Realm& realm, const ReportRequest& request, const Config& config) {
  out.BeginObject("header");
  out.Add("reportVersion", 5);
  out.Add("event", request.event);
  out.Add("trigger", request.trigger);
  request.filename.empty() ? out.AddNull("filename") : out.Add("filename", request.filename);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  gmtime_r(&now.tv_sec, &parts);
  char text[64];
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  out.Add("dumpEventTime", text);
  out.Add("dumpEventTimeStamp", std::to_string(now.tv_sec * 1000 + now.tv_nsec / 1'000'000));
  out.Add("processId", static_cast<int64_t>(getpid()));
  request.has_thread_id ? out.Add("threadId", realm.thread_id) : out.AddNull("threadId");
  report::WriteProgram(out);
  out.Add("nodejsVersion", "v24.12.0");
  report::WritePlatform(out);
  WritePairs(out, "componentVersions", config.versions);
  WritePairs(out, "release", config.release);
  report::WriteSystem(out);
  if (!config.exclude_network) report::WriteNetworkInterfaces(out);
  report::WriteHost(out);
  out.EndObject();
}

void WriteStack(JsonWriter& out, const ReportedStack& stack) {
  out.BeginObject("javascriptStack");
  out.Add("message", stack.message);
  if (stack.has_stack) {
    out.BeginArray("stack");
    for (const std::string& line : stack.lines) out.Element(line);
    out.EndArray();
  }
  out.BeginObject("errorProperties");
  for (const auto& [name, value] : stack.properties) out.Add(name, value);
  out.EndObject();
  out.EndObject();
}

std::string DefaultName(uint32_t thread_id) {
  time_t now = time(nullptr);
  tm parts{};
  localtime_r(&now, &parts);
  char time_text[32];
  strftime(time_text, sizeof time_text, "%Y%m%d.%H%M%S", &parts);
  char name[96];
  snprintf(name, sizeof name, "report.%s.%d.%u.%03u.json", time_text, static_cast<int>(getpid()), thread_id, ++sequence);
  return name;
}

/// Makes a report and writes it to where `filename`, or the configuration, says. Returns the name; empty if that failed.
std::string WriteReportTo(v8::Isolate* isolate, ReportRequest request) {
  Config config = CurrentConfig();
  std::string name = !request.filename.empty() ? request.filename : config.filename;
  if (name.empty()) name = DefaultName(Realm::From(isolate).thread_id);
  request.filename = name;
  FILE* file = name == "stdout" ? stdout : name == "stderr" ? stderr : nullptr;
  bool own = file == nullptr;
  if (own) {
    bool absolute = name[0] == '/' || config.directory.empty();
    file = fopen((absolute ? name : config.directory + "/" + name).c_str(), "we");
    if (file == nullptr) {
      fprintf(stderr, "\nFailed to open Node.js report file: %s", name.c_str());
      if (!config.directory.empty()) fprintf(stderr, " directory: %s", config.directory.c_str());
      fprintf(stderr, " (errno: %d)\n", errno);
      return {};
    }
    fprintf(stderr, "\nWriting Node.js report to file: %s\n", name.c_str());
  }
  std::string text = MakeReport(isolate, request);
  text += '\n';
  fwrite(text.data(), 1, text.size(), file);
  own ? static_cast<void>(fclose(file)) : static_cast<void>(fflush(file));
  if (name != "stdout") fprintf(stderr, "Node.js report completed\n");
  return name;
}

ReportRequest RequestOf(const std::string& event, const std::string& trigger, const std::string& filename,
                        std::optional<std::string> message, std::optional<std::vector<std::string>> lines,
                        std::optional<std::vector<std::string>> properties) {
  ReportRequest request{.event = event, .trigger = trigger, .filename = filename, .stack = {}};
  if (message) {
    request.stack.message = *message;
    request.stack.has_stack = lines.has_value();
    if (lines) request.stack.lines = *lines;
  }
  for (size_t i = 0; properties && i + 1 < properties->size(); i += 2) {
    request.stack.properties.emplace_back((*properties)[i], (*properties)[i + 1]);
  }
  return request;
}

std::string Get(Js& js, std::string event, std::string trigger, std::optional<std::string> message,
                std::optional<std::vector<std::string>> lines, std::optional<std::vector<std::string>> properties) {
  return MakeReport(js.isolate, RequestOf(event, trigger, "", message, lines, properties));
}

std::string Write(Js& js, std::string event, std::string trigger, std::string filename, std::optional<std::string> message,
                  std::optional<std::vector<std::string>> lines, std::optional<std::vector<std::string>> properties) {
  return WriteReportTo(js.isolate, RequestOf(event, trigger, filename, message, lines, properties));
}

/// configure(name, value): a string or a boolean of the configuration; lists for the versions.
void SetFlag(Js&, std::string name, bool value) {
  std::lock_guard lock(config_mutex);
  if (name == "compact") shared_config.compact = value;
  if (name == "excludeNetwork") shared_config.exclude_network = value;
  if (name == "excludeEnv") shared_config.exclude_env = value;
  if (name == "reportOnFatalError") shared_config.on_fatal_error = value;
}

void SetText(Js&, std::string name, std::string value) {
  std::lock_guard lock(config_mutex);
  (name == "directory" ? shared_config.directory : shared_config.filename) = std::move(value);
}

void SetVersions(Js&, std::vector<std::string> versions, std::vector<std::string> release) {
  std::lock_guard lock(config_mutex);
  shared_config.versions = std::move(versions);
  shared_config.release = std::move(release);
}

/// { compact, excludeNetwork, excludeEnv, reportOnFatalError, directory, filename }
v8::Local<v8::Object> GetConfig(Js& js) {
  Config config = CurrentConfig();
  v8::Local<v8::Object> result = js.Object();
  js.Set(result, "compact", js.Bool(config.compact));
  js.Set(result, "excludeNetwork", js.Bool(config.exclude_network));
  js.Set(result, "excludeEnv", js.Bool(config.exclude_env));
  js.Set(result, "reportOnFatalError", js.Bool(config.on_fatal_error));
  js.Set(result, "directory", js.Str(config.directory));
  js.Set(result, "filename", js.Str(config.filename));
  return result;
}

constexpr NativeFunction kFunctions[] = {
    Fn<&Get>("get"),         Fn<&Write>("write"),           Fn<&SetFlag>("setFlag"),
    Fn<&SetText>("setText"), Fn<&SetVersions>("setVersions"), Fn<&GetConfig>("getConfig"),
};

}  // namespace

std::string MakeReport(v8::Isolate* isolate, const ReportRequest& request) {
  Config config = CurrentConfig();
  Realm& realm = Realm::From(isolate);
  JsonWriter out(config.compact ? JsonWriter::Form::kCompact : JsonWriter::Form::kIndented);
  out.BeginObject();
  WriteHeader(out, realm, request, config);
  WriteStack(out, request.stack);
  report::WriteHeap(out, isolate);
  report::WriteNativeStack(out);
  report::WriteUsage(out);
  if (realm.has_loop()) report::WriteLoop(out, realm.loop(), config.exclude_network);
  out.BeginArray("workers");
  if (WorkerReports collect = worker_reports.load(); collect != nullptr) {
    for (const std::string& text : collect(realm, request.trigger)) out.RawElement(text);
  }
  out.EndArray();
  if (!config.exclude_env) report::WriteEnvironment(out);
  report::WriteLimits(out);
  report::WriteSharedObjects(out);
  out.EndObject();
  return std::move(out.text());
}

void ReportFatalError(const char* message, const char* trigger) {
  if (!CurrentConfig().on_fatal_error) return;
  v8::Isolate* isolate = v8::Isolate::TryGetCurrent();
  if (isolate == nullptr) return;
  ReportRequest request{.event = message, .trigger = trigger, .filename = "", .stack = {}};
  request.has_thread_id = false;
  WriteReportTo(isolate, request);
}

void SetWorkerReports(WorkerReports collect) { worker_reports.store(collect); }

extern const NativeModule kReportModule;
const NativeModule kReportModule = {.name = "report", .functions = kFunctions};

}  // namespace gyre::modules

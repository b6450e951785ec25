#include "modules/trace_events/tracer.h"

#include <unistd.h>

#include <bit>
#include <cstdio>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"

namespace gyre::modules {

namespace {

constexpr size_t kEventsKept = 200'000;
constexpr uint8_t kEnabledFlag = 1;  // kEnabledForRecording of V8's tracing macros
constexpr unsigned kHasId = 1u << 1;

// TRACE_VALUE_TYPE_... of V8's tracing macros.
enum ValueType : uint8_t {
  kBool = 1, kUint, kInt, kDouble, kPointer, kString, kCopiedString, kConvertable
};

int64_t NowMicros() { return static_cast<int64_t>(base::MonotonicNanos() / 1000); }

void AppendValue(std::string& out, uint8_t type, uint64_t value,
                 std::unique_ptr<v8::ConvertableToTraceFormat>* convertable) {
  switch (type) {
    case kBool: out += value != 0 ? "true" : "false"; break;
    case kUint: out += std::to_string(value); break;
    case kInt: out += std::to_string(static_cast<int64_t>(value)); break;
    case kDouble: {
      double number = std::bit_cast<double>(value);
      // JSON knows neither infinity nor NaN.
      bool finite = number - number == 0;
      out += finite ? std::to_string(number) : "null";
      break;
    }
    case kPointer: {
      char hex[24];
      snprintf(hex, sizeof hex, "\"0x%llx\"", static_cast<unsigned long long>(value));
      out += hex;
      break;
    }
    case kString:
    case kCopiedString: {
      const char* text = std::bit_cast<const char*>(value);
      base::AppendJsonString(out, text != nullptr ? text : "");
      break;
    }
    case kConvertable:
      if (convertable != nullptr && *convertable != nullptr) {
        (*convertable)->AppendAsTraceFormat(&out);
      } else {
        out += "null";
      }
      break;
    default: out += "null";
  }
}

void Replace(std::string& text, std::string_view what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

}  // namespace

Tracer& Tracer::Get() {
  static Tracer* tracer = new Tracer;  // V8's threads may trace until the very end
  return *tracer;
}

uint8_t Tracer::FlagOf(const std::string& group) const {
  size_t start = 0;
  while (start <= group.size()) {
    size_t end = std::min(group.find(',', start), group.size());
    if (enabled_.contains(group.substr(start, end - start))) return kEnabledFlag;
    start = end + 1;
  }
  return 0;
}

void Tracer::Enable(const std::set<std::string>& categories, const std::string& file_pattern) {
  std::set<TraceStateObserver*> observers;
  {
    std::lock_guard guard(lock_);
    enabled_ = categories;
    if (path_.empty()) {
      path_ = file_pattern;
      Replace(path_, "${pid}", std::to_string(getpid()));
      Replace(path_, "${rotation}", "1");
    }
    for (auto& [group, flag] : flags_) *flag = FlagOf(group);
    observers = observers_;
  }
  for (TraceStateObserver* observer : observers) {
    if (categories.empty()) {
      observer->OnTraceDisabled();
    } else {
      observer->OnTraceEnabled();
    }
  }
}

const uint8_t* Tracer::GetCategoryGroupEnabled(const char* name) {
  std::lock_guard guard(lock_);
  std::unique_ptr<uint8_t>& flag = flags_[name];
  if (flag == nullptr) {
    flag = std::make_unique<uint8_t>(FlagOf(name));
    groups_[flag.get()] = name;
  }
  return flag.get();
}

bool Tracer::IsEnabled(const std::string& category_group) {
  std::lock_guard guard(lock_);
  return FlagOf(category_group) != 0;
}

uint64_t Tracer::Push(Event event) {
  if (events_.size() >= kEventsKept) {
    first_handle_ += events_.size();
    Write();
  }
  events_.push_back(std::move(event));
  return first_handle_ + events_.size() - 1;
}

void Tracer::Add(char phase, const std::string& category_group, std::string name, uint64_t id, std::string args) {
  std::lock_guard guard(lock_);
  if (path_.empty() || (phase != 'M' && FlagOf(category_group) == 0)) return;
  bool has_id = phase == 'b' || phase == 'n' || phase == 'e';
  Push({phase, gettid(), NowMicros(), 0, category_group, std::move(name), id, has_id, std::move(args)});
}

uint64_t Tracer::AddTraceEvent(char phase, const uint8_t* category_enabled_flag, const char* name, const char* scope,
                               uint64_t id, uint64_t bind_id, int32_t num_args, const char** arg_names,
                               const uint8_t* arg_types, const uint64_t* arg_values,
                               std::unique_ptr<v8::ConvertableToTraceFormat>* arg_convertables, unsigned int flags) {
  return AddTraceEventWithTimestamp(phase, category_enabled_flag, name, scope, id, bind_id, num_args, arg_names,
                                    arg_types, arg_values, arg_convertables, flags, NowMicros());
}

uint64_t Tracer::AddTraceEventWithTimestamp(char phase, const uint8_t* category_enabled_flag, const char* name,
                                            const char*, uint64_t id, uint64_t, int32_t num_args,
                                            const char** arg_names, const uint8_t* arg_types,
                                            const uint64_t* arg_values,
                                            std::unique_ptr<v8::ConvertableToTraceFormat>* arg_convertables,
                                            unsigned int flags, int64_t timestamp) {
  std::string args;
  for (int32_t i = 0; i < num_args; i++) {
    args += i == 0 ? '{' : ',';
    base::AppendJsonString(args, arg_names[i]);
    args += ':';
    AppendValue(args, arg_types[i], arg_values[i], arg_convertables != nullptr ? &arg_convertables[i] : nullptr);
  }
  if (num_args > 0) args += '}';
  std::lock_guard guard(lock_);
  if (path_.empty()) return 0;
  return Push({phase, gettid(), timestamp, 0, groups_[category_enabled_flag], name, id, (flags & kHasId) != 0,
               std::move(args)});
}

void Tracer::UpdateTraceEventDuration(const uint8_t*, const char*, uint64_t handle) {
  std::lock_guard guard(lock_);
  // What was written out meanwhile stays without a duration.
  if (handle < first_handle_ || handle - first_handle_ >= events_.size()) return;
  Event& event = events_[handle - first_handle_];
  event.duration_us = NowMicros() - event.at_us;
}

void Tracer::AddTraceStateObserver(TraceStateObserver* observer) {
  bool enabled = false;
  {
    std::lock_guard guard(lock_);
    observers_.insert(observer);
    enabled = !enabled_.empty();
  }
  if (enabled) observer->OnTraceEnabled();
}

void Tracer::RemoveTraceStateObserver(TraceStateObserver* observer) {
  std::lock_guard guard(lock_);
  observers_.erase(observer);
}

void Tracer::Append(std::string& out, const Event& event) {
  out += "{\"pid\":" + std::to_string(getpid()) + ",\"tid\":" + std::to_string(event.thread) +
         ",\"ts\":" + std::to_string(event.at_us) + ",\"tts\":0,\"ph\":\"" + event.phase + "\",\"cat\":";
  base::AppendJsonString(out, event.category);
  out += ",\"name\":";
  base::AppendJsonString(out, event.name);
  out += ",\"dur\":" + std::to_string(event.duration_us) + ",\"tdur\":0";
  if (event.has_id) {
    char hex[32];
    snprintf(hex, sizeof hex, ",\"id\":\"0x%llx\"", static_cast<unsigned long long>(event.id));
    out += hex;
  }
  out += ",\"args\":" + (event.args.empty() ? std::string("{}") : event.args) + "}";
}

void Tracer::Write() {
  FILE* file = fopen(path_.c_str(), opened_ ? "ae" : "we");
  if (file == nullptr) {
    // Without its file a trace is lost, but the program goes on.
    if (!opened_) fprintf(stderr, "Could not open trace file %s: %m\n", path_.c_str());
    opened_ = true;
    events_.clear();
    return;
  }
  std::string out = opened_ ? "" : "{\"traceEvents\":[";
  opened_ = true;
  for (const Event& event : events_) {
    if (wrote_any_) out += ",\n";
    wrote_any_ = true;
    Append(out, event);
  }
  fwrite(out.data(), 1, out.size(), file);
  fclose(file);
  events_.clear();
}

void Tracer::Flush() {
  std::lock_guard guard(lock_);
  if (path_.empty()) return;
  enabled_.clear();
  for (auto& [group, flag] : flags_) *flag = 0;
  Write();
  if (FILE* file = fopen(path_.c_str(), "ae")) {
    fputs("]}", file);
    fclose(file);
  }
  path_.clear();
}

}  // namespace gyre::modules

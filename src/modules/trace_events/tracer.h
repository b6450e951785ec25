// Where trace events go: V8's own and those of the JavaScript halves, kept in memory and written as the JSON that
// chrome://tracing reads.
//
// Thread: any. Owner: the process; there is one. Invariants: a category's flag stays where it is once it was asked for, as
// V8 keeps pointers to flags.
#ifndef GYRE_MODULES_TRACE_EVENTS_TRACER_H_
#define GYRE_MODULES_TRACE_EVENTS_TRACER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engine/v8_prelude.h"

#include <v8-platform.h>

namespace gyre::modules {

class Tracer final : public v8::TracingController {
 public:
  static Tracer& Get();

  /// Events of these categories are kept from now on. The first call fixes the file.
  void Enable(const std::set<std::string>& categories, const std::string& file_pattern);
  bool IsEnabled(const std::string& category_group);
  /// An event of JavaScript. `args` is a JSON object, or empty.
  void Add(char phase, const std::string& category_group, std::string name, uint64_t id, std::string args);
  /// Writes what was kept, if tracing was ever enabled. At the end of the process.
  void Flush();

  // --- v8::TracingController ---
  const uint8_t* GetCategoryGroupEnabled(const char* name) override;
  uint64_t AddTraceEvent(char phase, const uint8_t* category_enabled_flag, const char* name, const char* scope,
                         uint64_t id, uint64_t bind_id, int32_t num_args, const char** arg_names,
                         const uint8_t* arg_types, const uint64_t* arg_values,
                         std::unique_ptr<v8::ConvertableToTraceFormat>* arg_convertables,
                         unsigned int flags) override;
  uint64_t AddTraceEventWithTimestamp(char phase, const uint8_t* category_enabled_flag, const char* name,
                                      const char* scope, uint64_t id, uint64_t bind_id, int32_t num_args,
                                      const char** arg_names, const uint8_t* arg_types, const uint64_t* arg_values,
                                      std::unique_ptr<v8::ConvertableToTraceFormat>* arg_convertables,
                                      unsigned int flags, int64_t timestamp) override;
  void UpdateTraceEventDuration(const uint8_t* category_enabled_flag, const char* name, uint64_t handle) override;
  void AddTraceStateObserver(TraceStateObserver* observer) override;
  void RemoveTraceStateObserver(TraceStateObserver* observer) override;

 private:
  struct Event {
    char phase;
    int thread;
    int64_t at_us;
    int64_t duration_us;
    std::string category;
    std::string name;
    uint64_t id;
    bool has_id;
    std::string args;
  };

  // With the lock held.
  uint8_t FlagOf(const std::string& group) const;
  uint64_t Push(Event event);
  void Write();
  static void Append(std::string& out, const Event& event);

  std::mutex lock_;
  std::set<std::string> enabled_;
  std::map<std::string, std::unique_ptr<uint8_t>> flags_;
  std::map<const uint8_t*, std::string> groups_;
  std::set<TraceStateObserver*> observers_;
  std::vector<Event> events_;
  uint64_t first_handle_ = 1;  // of events_[0]
  std::string path_;
  bool opened_ = false;
  bool wrote_any_ = false;
};

}  // namespace gyre::modules

#endif  // GYRE_MODULES_TRACE_EVENTS_TRACER_H_

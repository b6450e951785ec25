// Diagnostic reports (process.report): what the process is, does and uses, as one JSON document. Made without running
// JavaScript, so that also an isolate that ran out of memory, or a busy worker, can be reported.
//
// Thread: any that owns an isolate; the configuration is the process's and guarded.
#ifndef GYRE_MODULES_PROCESS_REPORT_H_
#define GYRE_MODULES_PROCESS_REPORT_H_

#include <string>
#include <utility>
#include <vector>

#include "engine/realm.h"

namespace gyre::modules {

/// The JavaScript side of a report: an error and its stack, as text.
struct ReportedStack {
  std::string message = "No stack.";
  bool has_stack = true;
  std::vector<std::string> lines = {"Unavailable."};
  std::vector<std::pair<std::string, std::string>> properties;
};

struct ReportRequest {
  std::string event;
  std::string trigger;
  std::string filename;  // empty: null in the report
  ReportedStack stack;
  bool has_thread_id = true;
};

/// The text of a report about `isolate`'s thread and, in it, those of its workers. `isolate` is the current one.
std::string MakeReport(v8::Isolate* isolate, const ReportRequest& request);

/// Writes a report for a fatal error, if --report-on-fatalerror asks for it.
void ReportFatalError(const char* message, const char* trigger);

/// Who asks the workers of a realm for their reports: set once by the runtime, which owns the threads.
using WorkerReports = std::vector<std::string> (*)(Realm& realm, const std::string& trigger);
void SetWorkerReports(WorkerReports collect);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_PROCESS_REPORT_H_

// The sections of a diagnostic report, each written into the object that is open. Thread: the isolate's.
#ifndef GYRE_MODULES_PROCESS_REPORT_SECTIONS_H_
#define GYRE_MODULES_PROCESS_REPORT_SECTIONS_H_

#include "engine/v8_prelude.h"

#include <v8.h>

#include "loop/loop.h"
#include "modules/process/json_writer.h"

namespace gyre::modules::report {

void WriteProgram(JsonWriter& out);   // cwd, commandLine
void WritePlatform(JsonWriter& out);  // glibc, wordSize, arch, platform
void WriteSystem(JsonWriter& out);    // osName ... cpus
void WriteNetworkInterfaces(JsonWriter& out);
void WriteHost(JsonWriter& out);
void WriteHeap(JsonWriter& out, v8::Isolate* isolate);
void WriteNativeStack(JsonWriter& out);
void WriteUsage(JsonWriter& out);  // of the process and of this thread
/// `numeric`: peers by address only, no look-up of names.
void WriteLoop(JsonWriter& out, loop::Loop& loop, bool numeric);
void WriteEnvironment(JsonWriter& out);
void WriteLimits(JsonWriter& out);
void WriteSharedObjects(JsonWriter& out);

}  // namespace gyre::modules::report

#endif  // GYRE_MODULES_PROCESS_REPORT_SECTIONS_H_

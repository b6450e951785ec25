#include <signal.h>
#include <v8.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "runtime/builtins.h"
#include "runtime/code_cache.h"
#include "runtime/options.h"
#include "runtime/runtime.h"

namespace {

int PrintVersion() {
  puts("v24.12.0");
  return 0;
}

using gyre::runtime::Options;

/// ./gyre-stage1 --build-snapshot FILE: the start-up snapshot.
int BuildSnapshot(const char* file) {
  static Options options;
  gyre::runtime::SetProcessOptions(options);
  // Else the warmed-up functions would be noted as worth baseline code, which each start would make.
  v8::V8::SetFlagsFromString("--no-sparkplug");
  gyre::runtime::StartV8();
  return gyre::runtime::BuildSnapshot(file);
}

/// ./gyre-stage1 --build-code-cache SNAPSHOT FILE PROGRAM: compiled code of the builtins that the program used.
int BuildCodeCache(const char* snapshot, const char* file, const char* program) {
  std::ifstream in(snapshot, std::ios::binary);
  static const std::string blob((std::istreambuf_iterator<char>(in)), {});
  gyre::runtime::UseSnapshot(blob);
  static Options options;
  options.args = {program};
  gyre::runtime::SetProcessOptions(options);
  gyre::runtime::StartV8();
  return gyre::runtime::BuildCodeCache(file);
}

}  // namespace

int main(int argc, char** argv) {
  using gyre::runtime::ParseResult;
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file past its size limit is EFBIG, not the end
  if (gyre::runtime::EmbeddedSnapshot().empty()) {
    if (argc == 3 && strcmp(argv[1], "--build-snapshot") == 0) return BuildSnapshot(argv[2]);
    if (argc == 5 && strcmp(argv[1], "--build-code-cache") == 0) return BuildCodeCache(argv[2], argv[3], argv[4]);
  }
  ParseResult parsed = gyre::runtime::ParseOptions(argc, argv);
  if (!parsed.error.empty()) {
    fprintf(stderr, "%s: %s\n", argv[0], parsed.error.c_str());
    return 9;
  }
  for (const std::string& note : parsed.notes) fprintf(stderr, "%s: %s\n", argv[0], note.c_str());
  Options& options = parsed.options;
  if (options.flags["--version"]) return PrintVersion();
  if (options.flags["--v8-options"]) {
    v8::V8::SetFlagsFromString("--help");  // prints them
    return fflush(stdout);
  }
  if (options.flags["--help"]) {
    fputs(gyre::runtime::HelpText().c_str(), stdout);
    return 0;
  }
  gyre::runtime::SetUpProcess(argc, argv, options);
  gyre::runtime::StartV8();
  int status;
  {
    auto agent = gyre::runtime::Agent::Create({});
    if (!agent.has_value()) {
      fprintf(stderr, "%s: cannot start the event loop: %s (errno %d)\n", argv[0], agent.error().syscall,
              agent.error().err);
      return 1;
    }
    status = (*agent)->Run();
    fflush(stdout);
    fflush(stderr);
    _exit(status);
  }
}

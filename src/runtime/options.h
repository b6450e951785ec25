// The command line: Node's options, those that Gyre acts on and those that it knows to be harmless.
//
// Thread: parsed once on the main thread before anything else starts; constant afterwards.
#ifndef GYRE_RUNTIME_OPTIONS_H_
#define GYRE_RUNTIME_OPTIONS_H_

#include <map>
#include <string>
#include <vector>

namespace gyre::runtime {

struct Options {
  std::string exec_path;                          // resolved path of this program
  std::string argv0;                              // as it was typed
  std::vector<std::string> exec_argv;             // options before the script
  std::vector<std::string> args;                  // the script, then its arguments
  std::vector<std::string> v8_flags;              // passed on to V8
  std::map<std::string, bool> flags;              // "--trace-warnings": true, set or defaulted
  std::map<std::string, std::string> strings;     // "--input-type": "module"
  std::map<std::string, std::vector<std::string>> lists;  // "--require": [...]
  bool force_stdin = false;                       // "-"
};

struct ParseResult {
  Options options;
  std::string error;                // not empty: print it and exit with status 9
  std::vector<std::string> notes;   // to be printed; the program runs
};

/// Parses argv and NODE_OPTIONS by Node's rules.
ParseResult ParseOptions(int argc, char** argv);

/// What --help prints.
std::string HelpText();

}  // namespace gyre::runtime

#endif  // GYRE_RUNTIME_OPTIONS_H_

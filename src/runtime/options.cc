#include "runtime/options.h"

#include <unistd.h>
#include <v8.h>

#include <climits>
#include <cstdlib>
#include <cstring>

namespace gyre::runtime {

namespace {

enum class Kind { kFlag, kString, kList };

struct Option {
  const char* name;
  Kind kind;
  const char* help = nullptr;    // null: accepted, not listed
  bool initially = false;        // for flags: the value without the option
  bool in_environment = true;    // allowed in NODE_OPTIONS
};

// Node 24's options. What has no help text here is accepted for the sake of scripts that pass it.
constexpr Option kOptions[] = {
    {"--check", Kind::kFlag, "check the syntax of the script without running it", false, false},
    {"--eval", Kind::kString, "run this source", false, false},
    {"--print", Kind::kFlag, "run the source and print its result", false, false},
    {"--interactive", Kind::kFlag, nullptr, false, false},
    {"--version", Kind::kFlag, "print the version of Node.js whose interface this is", false, false},
    {"--help", Kind::kFlag, "print this text", false, false},
    {"--v8-options", Kind::kFlag, "print the options of V8, which are passed on to it", false, false},
    {"--require", Kind::kList, "load this CommonJS module first"},
    {"--import", Kind::kList, "import this module first"},
    {"--loader", Kind::kList},
    {"--experimental-loader", Kind::kList},
    {"--conditions", Kind::kList, "also match this condition in \"exports\" and \"imports\""},
    {"--env-file", Kind::kList, "read environment variables from this file", false, false},
    {"--env-file-if-exists", Kind::kList, nullptr, false, false},
    {"--input-type", Kind::kString, "\"module\" or \"commonjs\", for --eval and standard input"},
    {"--experimental-default-type", Kind::kString},
    {"--unhandled-rejections", Kind::kString, "\"throw\", \"strict\", \"warn\", \"none\" or \"warn-with-error-codes\""},
    {"--title", Kind::kString, "process.title"},
    {"--disable-warning", Kind::kList, "do not print warnings of this code or type"},
    {"--redirect-warnings", Kind::kString},
    {"--icu-data-dir", Kind::kString},
    {"--dns-result-order", Kind::kString, "\"verbatim\", \"ipv4first\" or \"ipv6first\""},
    {"--max-http-header-size", Kind::kString, "bytes that a header block may take"},
    {"--stack-trace-limit", Kind::kString},
    {"--network-family-autoselection-attempt-timeout", Kind::kString},
    {"--secure-heap", Kind::kString},
    {"--secure-heap-min", Kind::kString},
    {"--tls-cipher-list", Kind::kString},
    {"--tls-keylog", Kind::kString},
    {"--openssl-config", Kind::kString},
    {"--diagnostic-dir", Kind::kString},
    {"--trace-event-categories", Kind::kString},
    {"--trace-event-file-pattern", Kind::kString},
    {"--trace-require-module", Kind::kString},
    {"--report-directory", Kind::kString},
    {"--report-dir", Kind::kString},
    {"--report-filename", Kind::kString},
    {"--report-signal", Kind::kString},
    {"--heapsnapshot-signal", Kind::kString},
    {"--heapsnapshot-near-heap-limit", Kind::kString},
    {"--cpu-prof-dir", Kind::kString},
    {"--cpu-prof-name", Kind::kString},
    {"--cpu-prof-interval", Kind::kString},
    {"--heap-prof-dir", Kind::kString},
    {"--heap-prof-name", Kind::kString},
    {"--heap-prof-interval", Kind::kString},
    {"--localstorage-file", Kind::kString},
    {"--inspect-port", Kind::kString},
    {"--inspect-publish-uid", Kind::kString},
    {"--debug-port", Kind::kString},
    {"--allow-fs-read", Kind::kList},
    {"--allow-fs-write", Kind::kList},
    {"--test-name-pattern", Kind::kList, nullptr, false, false},
    {"--test-skip-pattern", Kind::kList, nullptr, false, false},
    {"--test-reporter", Kind::kList},
    {"--test-reporter-destination", Kind::kList},
    {"--test-concurrency", Kind::kString, nullptr, false, false},
    {"--test-timeout", Kind::kString, nullptr, false, false},
    {"--test-shard", Kind::kString},
    {"--test-isolation", Kind::kString},
    {"--test-coverage-include", Kind::kList},
    {"--test-coverage-exclude", Kind::kList},
    {"--test-coverage-branches", Kind::kString},
    {"--test-coverage-functions", Kind::kString},
    {"--test-coverage-lines", Kind::kString},
    {"--test-global-setup", Kind::kString},
    {"--watch-path", Kind::kList, "with --watch: look at this path instead of the files that are loaded"},
    {"--watch-kill-signal", Kind::kString},
    {"--v8-pool-size", Kind::kString},
    {"--run", Kind::kString, "run a script of the package.json", false, false},
    {"--build-snapshot-config", Kind::kString},
    {"--snapshot-blob", Kind::kString},
    {"--es-module-specifier-resolution", Kind::kString},
    {"--experimental-sea-config", Kind::kString},
    {"--disable-proto", Kind::kString},
    {"--trace-warnings", Kind::kFlag, "print the stack of process warnings"},
    {"--warnings", Kind::kFlag, "--no-warnings: do not print process warnings", true},
    {"--deprecation", Kind::kFlag, "--no-deprecation: do not print deprecations", true},
    {"--throw-deprecation", Kind::kFlag, "throw on deprecations"},
    {"--trace-deprecation", Kind::kFlag, "print the stack of deprecations"},
    {"--pending-deprecation", Kind::kFlag},
    {"--enable-source-maps", Kind::kFlag},
    {"--experimental-vm-modules", Kind::kFlag},
    {"--experimental-strip-types", Kind::kFlag, nullptr, true},
    {"--experimental-transform-types", Kind::kFlag},
    {"--strip-types", Kind::kFlag, nullptr, true},
    {"--experimental-require-module", Kind::kFlag, nullptr, true},
    {"--experimental-detect-module", Kind::kFlag, nullptr, true},
    {"--experimental-print-required-tla", Kind::kFlag},
    {"--experimental-import-meta-resolve", Kind::kFlag},
    {"--experimental-import-meta-main", Kind::kFlag, nullptr, true},
    {"--experimental-wasm-modules", Kind::kFlag},
    {"--experimental-json-modules", Kind::kFlag, nullptr, true},
    {"--experimental-fetch", Kind::kFlag, nullptr, true},
    {"--experimental-websocket", Kind::kFlag, nullptr, true},
    {"--experimental-eventsource", Kind::kFlag},
    {"--experimental-webstorage", Kind::kFlag},
    {"--experimental-global-customevent", Kind::kFlag, nullptr, true},
    {"--experimental-global-webcrypto", Kind::kFlag, nullptr, true},
    {"--experimental-global-navigator", Kind::kFlag, nullptr, true},
    {"--experimental-sqlite", Kind::kFlag, nullptr, true},
    {"--experimental-repl-await", Kind::kFlag, nullptr, true},
    {"--experimental-async-context-frame", Kind::kFlag, nullptr, true},
    {"--async-context-frame", Kind::kFlag, nullptr, true},
    {"--experimental-test-coverage", Kind::kFlag},
    {"--experimental-test-module-mocks", Kind::kFlag},
    {"--experimental-test-snapshots", Kind::kFlag},
    {"--experimental-test-isolation", Kind::kString},
    {"--experimental-network-inspection", Kind::kFlag},
    {"--experimental-worker-inspection", Kind::kFlag},
    {"--experimental-addon-modules", Kind::kFlag},
    {"--experimental-eventtarget", Kind::kFlag},
    {"--experimental-abortcontroller", Kind::kFlag},
    {"--experimental-worker", Kind::kFlag},
    {"--experimental-report", Kind::kFlag},
    {"--experimental-wasi-unstable-preview1", Kind::kFlag},
    {"--experimental-modules", Kind::kFlag},
    {"--experimental-policy", Kind::kString},
    {"--experimental-permission", Kind::kFlag},
    {"--permission", Kind::kFlag},
    {"--allow-child-process", Kind::kFlag},
    {"--allow-worker", Kind::kFlag},
    {"--allow-addons", Kind::kFlag},
    {"--allow-wasi", Kind::kFlag},
    {"--allow-net", Kind::kFlag},
    {"--allow-inspector", Kind::kFlag},
    {"--preserve-symlinks", Kind::kFlag},
    {"--preserve-symlinks-main", Kind::kFlag},
    {"--insecure-http-parser", Kind::kFlag, "accept HTTP that two readers could understand differently"},
    {"--network-family-autoselection", Kind::kFlag, nullptr, true},
    {"--enable-network-family-autoselection", Kind::kFlag, nullptr, true},
    {"--node-snapshot", Kind::kFlag, nullptr, true},
    {"--node-memory-debug", Kind::kFlag},
    {"--addons", Kind::kFlag, nullptr, true},
    {"--global-search-paths", Kind::kFlag, nullptr, true},
    {"--verify-base-objects", Kind::kFlag},
    {"--force-context-aware", Kind::kFlag},
    {"--frozen-intrinsics", Kind::kFlag},
    {"--entry-url", Kind::kFlag},
    {"--track-heap-objects", Kind::kFlag},
    {"--trace-exit", Kind::kFlag},
    {"--trace-sigint", Kind::kFlag},
    {"--trace-sync-io", Kind::kFlag},
    {"--trace-tls", Kind::kFlag},
    {"--trace-uncaught", Kind::kFlag},
    {"--trace-promises", Kind::kFlag},
    {"--trace-env", Kind::kFlag},
    {"--trace-env-js-stack", Kind::kFlag},
    {"--trace-env-native-stack", Kind::kFlag},
    {"--trace-events-enabled", Kind::kFlag},
    {"--abort-on-uncaught-exception", Kind::kFlag},
    {"--force-async-hooks-checks", Kind::kFlag, nullptr, true},
    {"--async-hooks-checks", Kind::kFlag, nullptr, true},
    {"--zero-fill-buffers", Kind::kFlag},
    {"--build-snapshot", Kind::kFlag, nullptr, false, false},
    {"--test", Kind::kFlag, nullptr, false, false},
    {"--test-only", Kind::kFlag},
    {"--test-force-exit", Kind::kFlag},
    {"--test-update-snapshots", Kind::kFlag},
    {"--watch", Kind::kFlag, "run the program again whenever a file that it loads changes", false, false},
    {"--watch-preserve-output", Kind::kFlag, nullptr, false, false},
    {"--prof-process", Kind::kFlag, nullptr, false, false},
    {"--cpu-prof", Kind::kFlag, nullptr, false, false},
    {"--heap-prof", Kind::kFlag, nullptr, false, false},
    {"--report-uncaught-exception", Kind::kFlag},
    {"--report-on-signal", Kind::kFlag},
    {"--report-on-fatalerror", Kind::kFlag},
    {"--report-compact", Kind::kFlag},
    {"--report-exclude-network", Kind::kFlag},
    {"--report-exclude-env", Kind::kFlag},
    {"--use-openssl-ca", Kind::kFlag},
    {"--use-bundled-ca", Kind::kFlag},
    {"--use-system-ca", Kind::kFlag},
    {"--use-env-proxy", Kind::kFlag, "let http, https and fetch use the proxies that HTTP_PROXY and its kin name"},
    {"--openssl-legacy-provider", Kind::kFlag},
    {"--openssl-shared-config", Kind::kFlag},
    {"--enable-fips", Kind::kFlag},
    {"--force-fips", Kind::kFlag},
    {"--tls-min-v1.0", Kind::kFlag},
    {"--tls-min-v1.1", Kind::kFlag},
    {"--tls-min-v1.2", Kind::kFlag},
    {"--tls-min-v1.3", Kind::kFlag},
    {"--tls-max-v1.2", Kind::kFlag},
    {"--tls-max-v1.3", Kind::kFlag},
    {"--napi-modules", Kind::kFlag},
    {"--inspect", Kind::kFlag},
    {"--inspect-brk", Kind::kFlag, nullptr, false, false},
    {"--inspect-wait", Kind::kFlag, nullptr, false, false},
    {"--debug-arraybuffer-allocations", Kind::kFlag},
    {"--expose-internals", Kind::kFlag, nullptr, false, false},
    {"--extra-info-on-fatal-exception", Kind::kFlag, nullptr, true},
    {"--experimental-shadow-realm", Kind::kFlag},
    {"--experimental-inspector-network-resource", Kind::kFlag},
    {"--experimental-sea-allow-fs-read", Kind::kFlag},
    {"--disable-wasm-trap-handler", Kind::kFlag},
    {"--disable-sigusr1", Kind::kFlag},
    {"--deprecated-flags", Kind::kFlag},
    {"--heap-snapshot-on-oom", Kind::kFlag},
};

struct Short {
  const char* name;
  const char* full;
};
constexpr Short kShort[] = {
    {"-e", "--eval"},   {"-p", "--print"},      {"-pe", "--print"},        {"-c", "--check"}, {"-r", "--require"},
    {"-v", "--version"}, {"-h", "--help"},      {"-i", "--interactive"},   {"-C", "--conditions"},
    {"--es-module-specifier-resolution", "--experimental-specifier-resolution"},
    {"--prof-process", "--prof-process"},
};

const Option* Find(const std::string& name) {
  for (const Option& option : kOptions) {
    if (name == option.name) return &option;
  }
  return nullptr;
}

/// A value that begins with a dash is written with a backslash before it.
std::string Unescaped(const std::string& value) { return value.starts_with("\\-") ? value.substr(1) : value; }

bool IsRejectionMode(std::string_view mode) {
  return mode == "throw" || mode == "strict" || mode == "warn" || mode == "none" || mode == "warn-with-error-codes";
}

/// V8 takes what it knows off the list and leaves the rest.
bool V8Knows(const std::string& argument) {
  std::string program = "gyre";
  std::string copy = argument;
  char* argv[] = {program.data(), copy.data(), nullptr};
  int argc = 2;
  v8::V8::SetFlagsFromCommandLine(&argc, argv, true);
  return argc == 1;
}

class Parser {
 public:
  explicit Parser(Options& options) : options_(options) {
    for (const Option& option : kOptions) {
      if (option.kind == Kind::kFlag) options_.flags[option.name] = option.initially;
    }
  }

  /// Takes options off the front of `arguments`; the rest is the script and its arguments. False with `error` set.
  bool Take(std::vector<std::string> arguments, const char* origin) {
    environment_ = strcmp(origin, "NODE_OPTIONS") == 0;
    size_t at = 0;
    for (; at < arguments.size(); at++) {
      const std::string& argument = arguments[at];
      if (argument.size() < 2 || argument[0] != '-') {
        if (argument == "-") options_.force_stdin = true;
        if (environment_) return Fail(argument + " is not allowed in NODE_OPTIONS");
        break;
      }
      if (argument == "--") {
        if (environment_) return Fail("-- is not allowed in NODE_OPTIONS");
        at++;
        break;
      }
      if (!TakeOne(arguments, at)) return false;
    }
    if (!environment_) options_.args.assign(arguments.begin() + static_cast<long>(at), arguments.end());
    return true;
  }

  std::string error;

 private:
  bool Fail(std::string text) {
    error = std::move(text);
    return false;
  }

  bool TakeOne(const std::vector<std::string>& arguments, size_t& at) {
    const std::string& argument = arguments[at];
    std::string name = argument;
    std::string value;
    bool has_value = false;
    if (size_t equals = argument.find('='); equals != std::string::npos && argument.starts_with("--")) {
      name = argument.substr(0, equals);
      value = argument.substr(equals + 1);
      has_value = true;
    }
    bool evaluates = name == "-p" || name == "-pe" || name == "--print";
    for (const Short& entry : kShort) {
      if (name == entry.name) name = entry.full;
    }
    if (name.starts_with("--")) {
      for (char& c : name) c = c == '_' ? '-' : c;
    }
    bool negated = name.starts_with("--no-");
    const Option* option = Find(negated ? "--" + name.substr(5) : name);
    if (option == nullptr && name.starts_with("--inspect")) option = Find("--inspect");
    if (option == nullptr) return TakeV8(argument);
    if (environment_ && !option->in_environment) return Fail(argument + " is not allowed in NODE_OPTIONS");
    if (!environment_) options_.exec_argv.push_back(argument);
    if (option->kind == Kind::kFlag) return TakeFlag(*option, argument, negated, has_value, evaluates, arguments, at);
    if (negated) return Fail(name + " is an invalid negation because it is not a boolean option");
    if (!has_value) {
      bool next_is_option = at + 1 < arguments.size() && arguments[at + 1].size() > 1 && arguments[at + 1][0] == '-';
      if (at + 1 >= arguments.size() || next_is_option) return Fail(argument + " requires an argument");
      value = arguments[++at];
      if (!environment_) options_.exec_argv.push_back(value);
      value = Unescaped(value);
    }
    if (value.empty() && has_value && option->kind == Kind::kString) return Fail(argument + " requires an argument");
    if (name == "--unhandled-rejections" && !IsRejectionMode(value)) return Fail("invalid value for " + name);
    if (option->kind == Kind::kString) {
      options_.strings[option->name] = value;
    } else {
      options_.lists[option->name].push_back(value);
    }
    return true;
  }

  bool TakeFlag(const Option& option, const std::string& argument, bool negated, bool has_value, bool evaluates,
                const std::vector<std::string>& arguments, size_t& at) {
    if (has_value && !argument.starts_with("--inspect")) return Fail(argument + " does not take an argument");
    options_.flags[option.name] = !negated;
    if (evaluates && at + 1 < arguments.size() && (arguments[at + 1].empty() || arguments[at + 1][0] != '-')) {
      options_.strings["--eval"] = Unescaped(arguments[++at]);
      options_.exec_argv.push_back(arguments[at]);
    }
    return true;
  }

  bool TakeV8(const std::string& argument) {
    if (!argument.starts_with("--") || !V8Knows(argument)) return Fail("bad option: " + argument);
    options_.v8_flags.push_back(argument);
    if (!environment_) options_.exec_argv.push_back(argument);
    return true;
  }

  Options& options_;
  bool environment_ = false;
};

/// NODE_OPTIONS: words apart by spaces; double quotes group, a backslash inside them takes the next character.
bool SplitWords(const std::string& text, std::vector<std::string>& words) {
  std::string word;
  bool quoted = false;
  bool started = false;
  for (size_t i = 0; i < text.size(); i++) {
    char c = text[i];
    if (c == '\\' && quoted) {
      if (i + 1 == text.size()) return false;
      word += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
      started = true;
    } else if (c == ' ' && !quoted) {
      if (started) words.push_back(std::move(word));
      word.clear();
      started = false;
    } else {
      word += c;
      started = true;
    }
  }
  if (started) words.push_back(std::move(word));
  return !quoted;
}

std::string ProgramPath(const char* argv0) {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : std::string(argv0);
}

/// What would be a broken promise if it were accepted.
constexpr struct {
  const char* name;
  const char* why;
} kNotImplemented[] = {
    {"--permission", "the program would run without the limits that it asks for"},
    {"--experimental-permission", "the program would run without the limits that it asks for"},
    {"--build-snapshot", "there are no user-land snapshots"},
    {"--build-snapshot-config", "there are no user-land snapshots"},
    {"--snapshot-blob", "there are no user-land snapshots"},
    {"--experimental-sea-config", "there are no single executable applications"},
    {"--prof-process", nullptr},
    {"--experimental-shadow-realm", nullptr},
};

std::string NotImplemented(const Options& options) {
  for (auto [name, why] : kNotImplemented) {
    auto flag = options.flags.find(name);
    if ((flag == options.flags.end() || !flag->second) && !options.strings.contains(name)) continue;
    return std::string(name) + " is not implemented" + (why != nullptr ? std::string(": ") + why : "");
  }
  return {};
}

/// What scripts pass and can do without: accepted, and said to do nothing.
constexpr const char* kWithoutEffect[] = {
    "--frozen-intrinsics", "--trace-env", "--trace-env-js-stack", "--trace-env-native-stack", "--trace-sync-io",
    "--trace-uncaught",
};

std::vector<std::string> WithoutEffect(const Options& options) {
  std::vector<std::string> found;
  for (const char* name : kWithoutEffect) {
    auto flag = options.flags.find(name);
    if (flag != options.flags.end() && flag->second) found.push_back(std::string(name) + " has no effect yet");
  }
  return found;
}

/// Options that mean something only beside another.
std::string MissingPartner(Options& options) {
  if (options.flags["--check"] && options.strings.contains("--eval")) {
    return "either --check or --eval can be used, not both";
  }
  std::string not_a_power;
  for (const char* name : {"--secure-heap", "--secure-heap-min"}) {
    auto found = options.strings.find(name);
    if (found == options.strings.end()) continue;
    unsigned long size = strtoul(found->second.c_str(), nullptr, 10);
    if (size == 0 || (size & (size - 1)) == 0) continue;
    if (!not_a_power.empty()) not_a_power += "\n" + options.argv0 + ": ";
    not_a_power += std::string(name) + " must be a power of 2";
  }
  if (!not_a_power.empty()) return not_a_power;
  struct Rivals {
    const char *one, *other;
  };
  for (auto [one, other] :
       {Rivals{"--tls-min-v1.3", "--tls-max-v1.2"}, Rivals{"--use-openssl-ca", "--use-bundled-ca"}}) {
    if (options.flags[one] && options.flags[other]) {
      return std::string("either ") + one + " or " + other + " can be used, not both";
    }
  }
  for (std::string partner : {"--cpu-prof", "--heap-prof"}) {
    if (options.flags[partner]) continue;
    for (const char* suffix : {"-name", "-dir", "-interval"}) {
      if (options.strings.contains(partner + suffix)) return partner + suffix + " must be used with " + partner;
    }
  }
  return {};
}

}  // namespace

ParseResult ParseOptions(int argc, char** argv) {
  ParseResult result;
  Options& options = result.options;
  options.argv0 = argc > 0 ? argv[0] : "gyre";
  options.exec_path = ProgramPath(options.argv0.c_str());
  Parser parser(options);
  if (const char* proxies = getenv("NODE_USE_ENV_PROXY"); proxies != nullptr && strcmp(proxies, "1") == 0) {
    options.flags["--use-env-proxy"] = true;  // --no-use-env-proxy takes it back
  }
  if (const char* text = getenv("NODE_OPTIONS"); text != nullptr && *text != '\0') {
    std::vector<std::string> words;
    if (!SplitWords(text, words)) {
      result.error = "invalid value for NODE_OPTIONS (unterminated string)";
      return result;
    }
    if (!parser.Take(std::move(words), "NODE_OPTIONS")) {
      result.error = parser.error;
      return result;
    }
  }
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; i++) arguments.emplace_back(argv[i]);
  if (!parser.Take(std::move(arguments), "the command line")) result.error = parser.error;
  if (result.error.empty()) result.error = NotImplemented(options);
  if (result.error.empty()) result.error = MissingPartner(options);
  result.notes = WithoutEffect(options);
  if (getenv("NODE_PENDING_DEPRECATION") != nullptr && strcmp(getenv("NODE_PENDING_DEPRECATION"), "1") == 0) {
    options.flags["--pending-deprecation"] = true;
  }
  if (const char* quiet = getenv("NODE_NO_WARNINGS"); quiet != nullptr && strcmp(quiet, "1") == 0) {
    options.flags["--warnings"] = false;
  }
  return result;
}

std::string HelpText() {
  std::string text =
      "Usage: gyre [options] [ script.js | - ] [arguments]\n"
      "       gyre -e SOURCE\n"
      "       gyre serve FILE       serves a module that exports default { fetch(request) }; gyre serve --help\n"
      "       gyre version          what this program is made of\n\n"
      "Options:\n";
  for (const Option& option : kOptions) {
    if (option.help == nullptr) continue;
    std::string name = option.name;
    for (const Short& entry : kShort) {
      if (name == entry.full && strlen(entry.name) == 2) name = std::string(entry.name) + ", " + name;
    }
    if (option.kind != Kind::kFlag) name += "=...";
    name.resize(std::max<size_t>(name.size() + 1, 34), ' ');
    text += "  " + name + option.help + "\n";
  }
  text += "\nOptions of V8 are passed on to it; NODE_OPTIONS is read as Node.js reads it.\n"
          "GYRE_LOOP=epoll|uring chooses the backend of the event loop.\n";
  return text;
}

}  // namespace gyre::runtime

// gyre-dev: builtins are read from the source tree when they are first required, so that a change needs no build.
#include <cstdio>

#include "runtime/builtins.h"

namespace gyre::runtime {

std::span<const BuiltinFile> EmbeddedBuiltins() { return {}; }

std::optional<std::string> ReadBuiltinFromDisk(std::string_view path) {
  std::string file = path.starts_with("npm/") ? GYRE_NPM_DIR + std::string(path.substr(3))
                                              : GYRE_SOURCE_DIR + ("/" + std::string(path));
  file += ".js";
  FILE* stream = fopen(file.c_str(), "rbe");
  if (stream == nullptr) return std::nullopt;
  std::string text;
  char block[65536];
  while (size_t count = fread(block, 1, sizeof block, stream)) text.append(block, count);
  fclose(stream);
  return text;
}

}  // namespace gyre::runtime

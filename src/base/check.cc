#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace gyre::base {

void CheckFailed(const char* file, int line, const char* expression) {
  std::fprintf(stderr, "%s:%d: Check failed: %s\n", file, line, expression);
  std::fflush(stderr);
  std::abort();
}

}  // namespace gyre::base

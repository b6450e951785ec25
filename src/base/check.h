// CHECK and DCHECK: broken invariants stop the process with file:line. Never used for bad input.
// Thread: any.
#ifndef GYRE_BASE_CHECK_H_
#define GYRE_BASE_CHECK_H_

namespace gyre::base {

// Prints "file:line: Check failed: expression" to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* expression);

}  // namespace gyre::base

// Guarded: V8's or GoogleTest's companions may define their own.
#undef CHECK
#define CHECK(condition)                                         \
  do {                                                           \
    if (!(condition)) [[unlikely]]                               \
      ::gyre::base::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)

#undef DCHECK
#ifdef NDEBUG
#define DCHECK(condition) \
  do {                    \
  } while (false && (condition))
#else
#define DCHECK(condition) CHECK(condition)
#endif

#undef UNREACHABLE
#define UNREACHABLE() ::gyre::base::CheckFailed(__FILE__, __LINE__, "unreachable")

#endif  // GYRE_BASE_CHECK_H_

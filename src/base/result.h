// Result<T>: the value of an operation or the Error that prevented it. Used by everything below `engine`.
// Thread: any. Plain values without hidden state.
#ifndef GYRE_BASE_RESULT_H_
#define GYRE_BASE_RESULT_H_

#include <expected>
#include <string>
#include <utility>

namespace gyre::base {

// Why an operation failed. `err` is a positive errno value or one of the kErr constants of errno_table.h
// (address look-up and end-of-file codes); its negation is what JavaScript sees as `error.errno`.
struct Error {
  int err = 0;
  // Name of the operation as JavaScript shows it ("open", "connect", ...). A string literal; never null.
  const char* syscall = "";
  std::string path = {};
  std::string dest = {};

  Error& WithSyscall(const char* name) {
    syscall = name;
    return *this;
  }
  Error& WithPath(std::string value) {
    path = std::move(value);
    return *this;
  }
  Error& WithDest(std::string value) {
    dest = std::move(value);
    return *this;
  }
};

template <class T>
using Result = std::expected<T, Error>;

// Builds the failed state of any Result<T>: `return Err(ENOENT, "open", path);`
[[nodiscard]] inline std::unexpected<Error> Err(int err, const char* syscall = "", std::string path = {},
                                                std::string dest = {}) {
  return std::unexpected<Error>(Error{err, syscall, std::move(path), std::move(dest)});
}

// Hands the error of a failed result on as the failure of another type.
[[nodiscard]] inline std::unexpected<Error> Err(Error error) { return std::unexpected<Error>(std::move(error)); }

// Builds the failed state from the calling thread's errno.
[[nodiscard]] std::unexpected<Error> ErrFromErrno(const char* syscall, std::string path = {}, std::string dest = {});

}  // namespace gyre::base

namespace gyre {
using base::Err;
using base::Error;
using base::Result;
}  // namespace gyre

#endif  // GYRE_BASE_RESULT_H_

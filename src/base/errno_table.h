// Names and messages of error numbers, as JavaScript shows them (the names and texts of libuv 1.51 on Linux).
// Thread: any; constant data.
#ifndef GYRE_BASE_ERRNO_TABLE_H_
#define GYRE_BASE_ERRNO_TABLE_H_

#include <span>

namespace gyre::base {

// Codes that are no errno: address look-up (EAI_*) and libuv's own. Error::err holds them positive like errno.
inline constexpr int kErrAddrFamily = 3000;
inline constexpr int kErrAiAgain = 3001;
inline constexpr int kErrAiBadFlags = 3002;
inline constexpr int kErrAiCanceled = 3003;
inline constexpr int kErrAiFail = 3004;
inline constexpr int kErrAiFamily = 3005;
inline constexpr int kErrAiMemory = 3006;
inline constexpr int kErrAiNoData = 3007;
inline constexpr int kErrAiNoName = 3008;
inline constexpr int kErrAiOverflow = 3009;
inline constexpr int kErrAiService = 3010;
inline constexpr int kErrAiSockType = 3011;
inline constexpr int kErrAiBadHints = 3013;
inline constexpr int kErrAiProtocol = 3014;
inline constexpr int kErrCharset = 4080;
inline constexpr int kErrUnknown = 4094;
inline constexpr int kErrEof = 4095;

struct ErrnoEntry {
  int err;              // positive
  const char* name;     // "ENOENT"
  const char* message;  // "no such file or directory"
};

// All known codes: what process.binding('uv') and util.getSystemErrorMap() list.
std::span<const ErrnoEntry> ErrnoTable();

// "ENOENT", or null for an unknown number.
const char* ErrnoName(int err);

// "no such file or directory", or null for an unknown number.
const char* ErrnoMessage(int err);

// Maps a getaddrinfo/getnameinfo result (EAI_*; EAI_SYSTEM takes errno) to an Error::err value. 0 stays 0.
int ErrFromEai(int eai);

}  // namespace gyre::base

#endif  // GYRE_BASE_ERRNO_TABLE_H_

// Declarations of the functions that we use of the simdutf library, which comes inside V8's archive without its header.
//
// Thread: any. The types repeat those of simdutf 6: enumerations by width, `Result` by layout.
#ifndef GYRE_ENGINE_SIMDUTF_H_
#define GYRE_ENGINE_SIMDUTF_H_

#include <cstddef>
#include <cstdint>

namespace simdutf {

enum error_code : int { SUCCESS = 0 };

struct result {
  error_code error;
  size_t count;  // where the error is, or how much was read or written
};

enum base64_options : uint64_t { base64_default = 0, base64_url = 1 };
enum last_chunk_handling_options : uint64_t { loose = 0 };

bool validate_ascii(const char* bytes, size_t size) noexcept;
result validate_ascii_with_errors(const char* bytes, size_t size) noexcept;
bool validate_utf8(const char* bytes, size_t size) noexcept;
size_t utf8_length_from_latin1(const char* bytes, size_t size) noexcept;
size_t utf8_length_from_utf16le(const char16_t* units, size_t size) noexcept;
size_t convert_latin1_to_utf8(const char* bytes, size_t size, char* out) noexcept;
// These return 0 for malformed input, and for text that the narrower encoding cannot hold.
size_t convert_utf16le_to_utf8(const char16_t* units, size_t size, char* out) noexcept;
size_t convert_utf8_to_utf16le(const char* bytes, size_t size, char16_t* out) noexcept;
size_t convert_utf8_to_latin1(const char* bytes, size_t size, char* out) noexcept;
size_t binary_to_base64(const char* bytes, size_t size, char* out, base64_options options) noexcept;
result base64_to_binary_safe(const char* text, size_t size, char* out, size_t& out_size, base64_options options,
                             last_chunk_handling_options last_chunk) noexcept;

}  // namespace simdutf

#endif  // GYRE_ENGINE_SIMDUTF_H_

// The V8 library was linked against glibc 2.38 and GCC 13. These are the symbols of theirs that an older system
// lacks; weak, so that the system's own win where it has them.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" {

__attribute__((weak)) long __isoc23_strtol(const char* text, char** end, int base) { return strtol(text, end, base); }
__attribute__((weak)) unsigned long __isoc23_strtoul(const char* text, char** end, int base) {
  return strtoul(text, end, base);
}
__attribute__((weak)) long long __isoc23_strtoll(const char* text, char** end, int base) {
  return strtoll(text, end, base);
}
__attribute__((weak)) unsigned long long __isoc23_strtoull(const char* text, char** end, int base) {
  return strtoull(text, end, base);
}
__attribute__((weak)) int __isoc23_sscanf(const char* text, const char* format, ...) {
  va_list args;
  va_start(args, format);
  int count = vsscanf(text, format, args);
  va_end(args);
  return count;
}
__attribute__((weak)) int __isoc23_fscanf(FILE* file, const char* format, ...) {
  va_list args;
  va_start(args, format);
  int count = vfscanf(file, format, args);
  va_end(args);
  return count;
}

// std::string::_M_replace_cold(char* position, size_t old_length, const char* text, size_t new_length, size_t tail):
// replaces inside the string's own buffer when `text` may overlap it.
__attribute__((weak)) void
_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm(void*, char* position, size_t old_length,
                                                                                const char* text, size_t new_length,
                                                                                size_t tail) {
  if (new_length != 0 && new_length <= old_length) memmove(position, text, new_length);
  if (tail != 0 && old_length != new_length) memmove(position + new_length, position + old_length, tail);
  if (new_length <= old_length) return;
  const char* old_end = position + old_length;
  if (text + new_length <= old_end) {
    memmove(position, text, new_length);
  } else if (text >= old_end) {
    memmove(position, text + (new_length - old_length), new_length);
  } else {
    size_t left = static_cast<size_t>(old_end - text);
    memmove(position, text, left);
    memcpy(position + left, position + new_length, new_length - left);
  }
}

}  // extern "C"

#include "engine/idna.h"

#include <cstdint>

// Declarations from ICU's unicode/uidna.h, whose functions carry the version as a suffix.
extern "C" {
struct UIDNA;
struct UIDNAInfo {
  int16_t size;
  int8_t is_transitional_different;
  int8_t reserved_b3;
  uint32_t errors;
  int32_t reserved_i2;
  int32_t reserved_i3;
};
UIDNA* uidna_openUTS46_77(uint32_t options, int* error);
int32_t uidna_nameToASCII_UTF8_77(const UIDNA* idna, const char* name, int32_t length, char* out, int32_t capacity,
                                  UIDNAInfo* info, int* error);
int32_t uidna_nameToUnicodeUTF8_77(const UIDNA* idna, const char* name, int32_t length, char* out, int32_t capacity,
                                   UIDNAInfo* info, int* error);
}

namespace gyre::engine {

namespace {

constexpr uint32_t kCheckBidi = 4;
constexpr uint32_t kCheckContextJ = 8;
constexpr uint32_t kNontransitionalToAscii = 0x10;
constexpr uint32_t kNontransitionalToUnicode = 0x20;
// Empty and too long labels, and hyphens at the wrong places: the URL Standard does not mind them.
constexpr uint32_t kIgnoredErrors = 1 | 2 | 4 | 8 | 0x10 | 0x20;
constexpr int kBufferOverflow = 15;  // U_BUFFER_OVERFLOW_ERROR
constexpr size_t kMaxDomain = 1 << 24;

using Convert = int32_t (*)(const UIDNA*, const char*, int32_t, char*, int32_t, UIDNAInfo*, int*);

const UIDNA* Idna() {
  static const UIDNA* idna = [] {
    int error = 0;
    UIDNA* opened =
        uidna_openUTS46_77(kCheckBidi | kCheckContextJ | kNontransitionalToAscii | kNontransitionalToUnicode, &error);
    return error > 0 ? nullptr : opened;
  }();
  return idna;
}

bool Run(Convert convert, std::string_view domain, std::string* out, uint32_t* errors) {
  const UIDNA* idna = Idna();
  if (idna == nullptr || domain.size() > kMaxDomain) return false;
  out->resize(domain.size() * 2 + 64);
  for (int attempt = 0; attempt < 2; attempt++) {
    UIDNAInfo info = {};
    info.size = sizeof(info);
    int error = 0;
    int32_t size = convert(idna, domain.data(), static_cast<int32_t>(domain.size()), out->data(),
                           static_cast<int32_t>(out->size()), &info, &error);
    if (error == kBufferOverflow) {
      out->resize(static_cast<size_t>(size));
      continue;
    }
    if (error > 0) return false;
    out->resize(static_cast<size_t>(size));
    *errors = info.errors;
    return true;
  }
  return false;
}

}  // namespace

bool DomainToAscii(std::string_view domain, std::string* ascii) {
  uint32_t errors;
  return Run(&uidna_nameToASCII_UTF8_77, domain, ascii, &errors) && (errors & ~kIgnoredErrors) == 0;
}

std::string DomainToUnicode(std::string_view domain) {
  std::string unicode;
  uint32_t errors;
  if (!Run(&uidna_nameToUnicodeUTF8_77, domain, &unicode, &errors)) return std::string(domain);
  return unicode;
}

}  // namespace gyre::engine

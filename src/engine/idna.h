// Internationalised domain names (UTS #46), by the ICU that comes inside V8's archive.
//
// Thread: any. Owner: one ICU object, made at the first call and kept until the process ends.
#ifndef GYRE_ENGINE_IDNA_H_
#define GYRE_ENGINE_IDNA_H_

#include <string>
#include <string_view>

namespace gyre::engine {

/// ToASCII as the URL Standard wants it: non-transitional, with bidi and joiner checks, without length and hyphen
/// rules. False if the domain is not valid.
bool DomainToAscii(std::string_view domain, std::string* ascii);

/// ToUnicode; what cannot be decoded stays as it is.
std::string DomainToUnicode(std::string_view domain);

}  // namespace gyre::engine

#endif  // GYRE_ENGINE_IDNA_H_

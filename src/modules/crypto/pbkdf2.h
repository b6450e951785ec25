// PBKDF2 and scrypt over the compression functions of SHA themselves: libcrypto's copies a context of HMAC for each
// iteration, which costs as much as the hashing. docs/decisions.md has the figures.
// Thread: any; no state.
#ifndef GYRE_MODULES_CRYPTO_PBKDF2_H_
#define GYRE_MODULES_CRYPTO_PBKDF2_H_

#include <openssl/evp.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace gyre::crypto {

// RFC 8018, 5.2. False, with nothing done, for a digest other than SHA-1, SHA-256, SHA-384 and SHA-512.
bool Pbkdf2Sha(const EVP_MD* digest, std::string_view password, std::string_view salt, int iterations,
               std::span<uint8_t> out);

// RFC 7914. The costs are those that EVP_PBE_scrypt() has accepted. False: there is no memory.
bool ScryptDerive(std::string_view password, std::string_view salt, uint64_t n, uint64_t r, uint64_t p,
                  std::span<uint8_t> out);

}  // namespace gyre::crypto

#endif  // GYRE_MODULES_CRYPTO_PBKDF2_H_

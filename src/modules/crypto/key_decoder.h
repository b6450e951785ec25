// Reads keys from DER with decoders that are kept: OpenSSL 3.0 collects and fetches all that it knows for each key,
// which takes ten times what decoding does (docs/decisions.md). Only what is plainly a key of a known kind is read;
// whatever else, and all that is wrong, is left to OpenSSL's own functions and their errors. Thread: any.
#ifndef GYRE_MODULES_CRYPTO_KEY_DECODER_H_
#define GYRE_MODULES_CRYPTO_KEY_DECODER_H_

#include <string>

#include "modules/crypto/args.h"

namespace gyre::crypto {

// Each returns null, with no error queued, for what it does not read.
PKey DecodePublic(const std::string& spki);
// PrivateKeyInfo, not encrypted.
PKey DecodePrivate(const std::string& pkcs8);
// The first block of a PEM text, if it is a private key that is not encrypted.
PKey DecodePemPrivate(const std::string& text);

}  // namespace gyre::crypto

#endif  // GYRE_MODULES_CRYPTO_KEY_DECODER_H_

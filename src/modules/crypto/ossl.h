// OpenSSL without V8: its lazy start, owning pointers, captured errors and the table of digests.
//
// Thread: any; lanes use this too. Owner: static storage. Invariants: OpenSSL starts when first needed and reads no
// configuration file; a fetched EVP_MD stays for the life of the process and is known by a small number.
#ifndef GYRE_MODULES_CRYPTO_OSSL_H_
#define GYRE_MODULES_CRYPTO_OSSL_H_

// HMAC_CTX, EC_KEY and their kin are the only way to some of what node:crypto offers.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace gyre::crypto {

/// What the command line says of OpenSSL.
struct OpenSslOptions {
  size_t secure_heap = 0;      // bytes of the locked heap for secrets, a power of 2; 0: none
  size_t secure_heap_min = 2;  // its smallest piece
  bool legacy_provider = false;
  std::string config_file;
};
/// Before anything else of this file; by the main thread.
void SetOpenSslOptions(OpenSslOptions options);
const OpenSslOptions& GetOpenSslOptions();

/// Starts OpenSSL; every entry of the native halves calls it first. Cheap after the first time.
void EnsureOpenSsl();

template <auto Free>
struct FreeWith {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using MdCtx = std::unique_ptr<EVP_MD_CTX, FreeWith<&EVP_MD_CTX_free>>;
using CipherCtx = std::unique_ptr<EVP_CIPHER_CTX, FreeWith<&EVP_CIPHER_CTX_free>>;
using PKey = std::unique_ptr<EVP_PKEY, FreeWith<&EVP_PKEY_free>>;
using PKeyCtx = std::unique_ptr<EVP_PKEY_CTX, FreeWith<&EVP_PKEY_CTX_free>>;
using Bio = std::unique_ptr<BIO, FreeWith<&BIO_free_all>>;
using BigNum = std::unique_ptr<BIGNUM, FreeWith<&BN_clear_free>>;
using BigNumCtx = std::unique_ptr<BN_CTX, FreeWith<&BN_CTX_free>>;
using X509Ptr = std::unique_ptr<X509, FreeWith<&X509_free>>;
using EcGroup = std::unique_ptr<EC_GROUP, FreeWith<&EC_GROUP_free>>;
using EcPoint = std::unique_ptr<EC_POINT, FreeWith<&EC_POINT_free>>;

/// A failure of a cryptographic operation, in a form that travels from a lane to JavaScript.
struct CryptoError {
  unsigned long ossl_code = 0;       // 0: none
  std::vector<unsigned long> stack;  // what OpenSSL queued, newest first
  std::string code;                  // a code of ours (ERR_CRYPTO_...), or empty
  std::string message;               // used when there is no ossl_code, or with `code`
  bool is_text = false;              // with `code`: `message` is all of a TypeError's, no argument of a template

  /// Takes OpenSSL's queue of this thread; `fallback` is the message if it is empty.
  static CryptoError FromQueue(std::string_view fallback);
  /// One of the codes of src/modules/internal/errors.js, with its message argument.
  static CryptoError Coded(std::string_view code, std::string_view argument = {});
};

/// Empties the queue of this thread, so that an old failure is not taken for a new one.
void ClearErrors();

/// "error:1C80006B:Provider routines::wrong final block length".
std::string ErrorText(unsigned long ossl_code);
/// "ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH", as Node names them; empty if OpenSSL knows no reason for it.
std::string ErrorCodeName(unsigned long ossl_code);

struct Digest {
  EVP_MD* md = nullptr;
  int size = 0;
  bool is_xof = false;
};
/// The number of a digest by any of its names, or -1.
int DigestId(const std::string& name);
/// The digest of a number that DigestId gave; null for others.
const Digest* DigestById(int id);

/// Null if there is no such cipher. The result lives for the life of the process.
const EVP_CIPHER* CipherByName(const std::string& name);

[[nodiscard]] bool RandomBytes(std::span<uint8_t> out);

/// One message in one piece. `out_size` < 0: the digest's own size. False: see the error queue.
[[nodiscard]] bool DigestOnce(EVP_MD_CTX* ctx, const Digest& digest, std::span<const uint8_t> message, uint8_t* out,
                              size_t out_size);

enum class Encoding : int { kBytes = 0, kHex = 1, kBase64 = 2, kBase64Url = 3, kLatin1 = 4 };
/// Text of `bytes` (Latin-1) in hex, base64 or base64url.
std::string Encode(std::span<const uint8_t> bytes, Encoding encoding);

/// What a BIO of memory holds.
std::span<const uint8_t> BioBytes(BIO* bio);
std::string BioText(BIO* bio);

}  // namespace gyre::crypto

#endif  // GYRE_MODULES_CRYPTO_OSSL_H_

#include "modules/crypto/hash.h"

#include <openssl/opensslv.h>

namespace gyre::modules {

namespace {

constexpr NativeFunction kFunctions[] = {
    RawFn("digestId", &crypto::DigestIdOf, 1),
    RawFn("digestSize", &crypto::DigestSize, 1),
    RawFn("digestScratch", &crypto::DigestScratch),
    RawFn("hashOnce", &crypto::HashOnce, 4),
    RawFn("hmacOnce", &crypto::HmacOnce, 4),
    RawFn("digestJob", &crypto::RunDigestJob, 4),
    RawFn("kmacJob", &crypto::RunKmacJob, 6),
    RawFn("hmacJob", &crypto::RunHmacJob, 4),
    RawFn("checkOutputLength", &crypto::CheckOutputLength, 2),
    RawFn("fixedSize", &crypto::FixedSize, 1),
    RawFn("checkHmac", &crypto::CheckHmac, 1),
    RawFn("randomFill", &crypto::RandomFill, 4),
    RawFn("timingSafeEqual", &crypto::TimingSafeEqual, 2),
    RawFn("secureHeapUsed", &crypto::SecureHeapUsed),
    RawFn("checkPrime", &crypto::CheckPrime, 3),
    RawFn("generatePrime", &crypto::GeneratePrime, 5),
    RawFn("pbkdf2", &crypto::Pbkdf2, 6),
    RawFn("checkScrypt", &crypto::CheckScrypt, 4),
    RawFn("scrypt", &crypto::Scrypt, 8),
    RawFn("hkdf", &crypto::Hkdf, 6),
    RawFn("getHashes", &crypto::GetHashes),
    RawFn("getCiphers", &crypto::GetCiphers),
    RawFn("getCurves", &crypto::GetCurves),
    RawFn("getFips", &crypto::GetFips),
    RawFn("setFips", &crypto::SetFips, 1),
};

void Init(Js& js, v8::Local<v8::Object> target) {
  js.Set(target, "opensslVersionNumber", js.Num(OPENSSL_VERSION_NUMBER));
}

}  // namespace

extern const NativeModule kCryptoModule;
const NativeModule kCryptoModule = {
    .name = "crypto", .functions = kFunctions, .classes = crypto::kHashClasses, .init = &Init};

}  // namespace gyre::modules

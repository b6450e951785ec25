// Tables of the parts of binding('crypto'), which crypto.cc puts together.
#ifndef GYRE_MODULES_CRYPTO_HASH_H_
#define GYRE_MODULES_CRYPTO_HASH_H_

#include "modules/crypto/args.h"

namespace gyre::crypto {

// hash.cc
void DigestIdOf(const Info& info);
void DigestScratch(const Info& info);
void HashOnce(const Info& info);
void HmacOnce(const Info& info);
void CheckOutputLength(const Info& info);
void RunDigestJob(const Info& info);
void RunKmacJob(const Info& info);
void RunHmacJob(const Info& info);
void FixedSize(const Info& info);
void CheckHmac(const Info& info);
void DigestSize(const Info& info);
extern const NativeClass* const kHashClasses[2];

// random.cc
void RandomFill(const Info& info);
void TimingSafeEqual(const Info& info);
void SecureHeapUsed(const Info& info);
void CheckPrime(const Info& info);
void GeneratePrime(const Info& info);

// kdf.cc
void Pbkdf2(const Info& info);
void Scrypt(const Info& info);
void CheckScrypt(const Info& info);
void Hkdf(const Info& info);

// lists.cc
void GetHashes(const Info& info);
void GetCiphers(const Info& info);
void GetCurves(const Info& info);
void GetFips(const Info& info);
void SetFips(const Info& info);

}  // namespace gyre::crypto

#endif  // GYRE_MODULES_CRYPTO_HASH_H_

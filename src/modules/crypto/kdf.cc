#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include "modules/crypto/hash.h"
#include "modules/crypto/pbkdf2.h"

namespace gyre::crypto {

namespace {

// A derivation of `length` bytes from owned inputs.
class DeriveJob : public CryptoJob {
 public:
  explicit DeriveJob(size_t length) : length_(length) {}
  void Run() override {
    out_ = base::Bytes::Allocate(length_);
    if (length_ > 0 && out_.data() == nullptr) {
      error = CryptoError{.message = "Deriving bits failed"};
      return;
    }
    if (Derive(out_.span())) return;
    ClearErrors();
    error = CryptoError{.message = "Deriving bits failed"};
  }
  v8::Local<v8::Value> Result(Js& js) override { return ToArrayBuffer(js, std::move(out_)); }

 protected:
  virtual bool Derive(std::span<uint8_t> out) = 0;

 private:
  size_t length_;
  base::Bytes out_;
};

class Pbkdf2Job : public DeriveJob {
 public:
  Pbkdf2Job(std::string password, std::string salt, int iterations, int length, const Digest& digest)
      : DeriveJob(length),
        password_(std::move(password)),
        salt_(std::move(salt)),
        iterations_(iterations),
        digest_(digest) {}

 protected:
  bool Derive(std::span<uint8_t> out) override {
    // RFC 8018 derives at least one octet.
    if (out.empty()) return false;
    if (Pbkdf2Sha(digest_.md, password_, salt_, iterations_, out)) return true;
    return PKCS5_PBKDF2_HMAC(password_.data(), static_cast<int>(password_.size()), BytePointer(salt_),
                             static_cast<int>(salt_.size()), iterations_, digest_.md, static_cast<int>(out.size()),
                             out.data()) == 1;
  }

 private:
  std::string password_, salt_;
  int iterations_;
  const Digest& digest_;
};

struct ScryptCost {
  uint64_t n, r, p, max_memory;
};

class ScryptJob : public DeriveJob {
 public:
  ScryptJob(std::string password, std::string salt, ScryptCost cost, int length)
      : DeriveJob(length), password_(std::move(password)), salt_(std::move(salt)), cost_(cost) {}

 protected:
  bool Derive(std::span<uint8_t> out) override {
    if (out.empty()) return true;
    return ScryptDerive(password_, salt_, cost_.n, cost_.r, cost_.p, out);
  }

 private:
  std::string password_, salt_;
  ScryptCost cost_;
};

class HkdfJob : public DeriveJob {
 public:
  HkdfJob(const Digest& digest, std::string key, std::string salt, std::string info, int length)
      : DeriveJob(length), digest_(digest), key_(std::move(key)), salt_(std::move(salt)), info_(std::move(info)) {}

 protected:
  bool Derive(std::span<uint8_t> out) override {
    if (out.empty()) return false;
    std::unique_ptr<EVP_KDF, FreeWith<&EVP_KDF_free>> kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
    std::unique_ptr<EVP_KDF_CTX, FreeWith<&EVP_KDF_CTX_free>> ctx(EVP_KDF_CTX_new(kdf.get()));
    if (ctx == nullptr) return false;
    // OpenSSL takes an empty octet string for none; the key must not be that.
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, const_cast<char*>(EVP_MD_get0_name(digest_.md)), 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, key_.data(), key_.size()),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt_.data(), salt_.size()),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info_.data(), info_.size()),
        OSSL_PARAM_construct_end(),
    };
    return EVP_KDF_derive(ctx.get(), out.data(), out.size(), params) == 1;
  }

 private:
  const Digest& digest_;
  std::string key_, salt_, info_;
};

ScryptCost CostArgs(const Info& info, int from) {
  auto number = [&](int index) {
    double value = info[index]->IsNumber() ? info[index].As<v8::Number>()->Value() : 0;
    return value > 0 ? static_cast<uint64_t>(value) : 0;
  };
  return {number(from), number(from + 1), number(from + 2), number(from + 3)};
}

}  // namespace

// pbkdf2(password, salt, iterations, keylen, digestId, how)
void Pbkdf2(const Info& info) {
  Js js(info);
  const Digest* digest = DigestById(IntArg(info, 4));
  if (digest == nullptr) return js.ThrowError("Digest method not supported");
  RunJob(js, info, info[5], "pbkdf2",
         std::make_unique<Pbkdf2Job>(OwnBytes(js.isolate, info[0]), OwnBytes(js.isolate, info[1]), IntArg(info, 2),
                                     std::max(0, IntArg(info, 3)), *digest));
}

// checkScrypt(N, r, p, maxmem): throws what OpenSSL objects to.
void CheckScrypt(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  ScryptCost cost = CostArgs(info, 0);
  ClearErrors();
  if (EVP_PBE_scrypt(nullptr, 0, nullptr, 0, cost.n, cost.r, cost.p, cost.max_memory, nullptr, 0) == 1) return;
  CryptoError error = CryptoError::FromQueue("");
  if (error.ossl_code == 0) return js.Throw("ERR_CRYPTO_INVALID_SCRYPT_PARAMS");
  js.Throw("ERR_CRYPTO_INVALID_SCRYPT_PARAMS", "Invalid scrypt params: " + ErrorText(error.ossl_code));
}

// scrypt(password, salt, N, r, p, maxmem, keylen, how)
void Scrypt(const Info& info) {
  Js js(info);
  RunJob(js, info, info[7], "scrypt",
         std::make_unique<ScryptJob>(OwnBytes(js.isolate, info[0]), OwnBytes(js.isolate, info[1]), CostArgs(info, 2),
                                     std::max(0, IntArg(info, 6))));
}

// hkdf(digestId, key, salt, info, length, how)
void Hkdf(const Info& info) {
  Js js(info);
  const Digest* digest = DigestById(IntArg(info, 0));
  if (digest == nullptr) return js.ThrowError("Digest method not supported");
  RunJob(js, info, info[5], "hkdf",
         std::make_unique<HkdfJob>(*digest, OwnBytes(js.isolate, info[1]), OwnBytes(js.isolate, info[2]),
                                   OwnBytes(js.isolate, info[3]), std::max(0, IntArg(info, 4))));
}

}  // namespace gyre::crypto

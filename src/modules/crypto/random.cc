#include "modules/crypto/hash.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>

#include <cstring>

namespace gyre::crypto {

namespace {

class RandomFillJob : public CryptoJob {
 public:
  RandomFillJob(PinnedBuffer buffer, size_t offset, size_t size)
      : buffer_(std::move(buffer)), offset_(offset), size_(size) {}
  void Run() override {
    if (!RandomBytes(buffer_.bytes().subspan(offset_, size_))) {
      error = CryptoError::FromQueue("Random bytes are not available");
    }
  }
  v8::Local<v8::Value> Result(Js& js) override {
    buffer_.Publish();
    return js.Undefined();
  }

 private:
  PinnedBuffer buffer_;
  size_t offset_, size_;
};

}  // namespace

// randomFill(bytes, offset, size, how)
void RandomFill(const Info& info) {
  Js js(info);
  std::optional<PinnedBuffer> buffer = PinnedBuffer::From(info[0]);
  if (!buffer) return engine::ThrowBadArgument(js, 0, "a buffer");
  double offset = info[1]->IsNumber() ? info[1].As<v8::Number>()->Value() : 0;
  double size = info[2]->IsNumber() ? info[2].As<v8::Number>()->Value() : 0;
  if (!(offset >= 0) || !(size >= 0) || offset + size > static_cast<double>(buffer->size())) {
    return js.ThrowRangeError("The range lies outside of the buffer");
  }
  RunJob(js, info, info[3], "randomBytes",
         std::make_unique<RandomFillJob>(std::move(*buffer), static_cast<size_t>(offset), static_cast<size_t>(size)));
}

// timingSafeEqual(a, b): both of one length, which JavaScript has checked.
void TimingSafeEqual(const Info& info) {
  Js js(info);
  BytesArg a(js.isolate, info[0]);
  BytesArg b(js.isolate, info[1]);
  if (a.size() != b.size()) return js.Throw("ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH");
  info.GetReturnValue().Set(CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0);
}

// undefined unless a secure heap was set up.
void SecureHeapUsed(const Info& info) {
  EnsureOpenSsl();
  if (CRYPTO_secure_malloc_initialized() != 1) return;
  Js js(info);
  v8::Local<v8::Object> result = js.Object();
  js.Set(result, "total", js.Num(static_cast<double>(GetOpenSslOptions().secure_heap)));
  js.Set(result, "used", js.Num(static_cast<double>(CRYPTO_secure_used())));
  js.Set(result, "min", js.Num(static_cast<double>(GetOpenSslOptions().secure_heap_min)));
  info.GetReturnValue().Set(result);
}

namespace {

BigNum ToBigNum(std::span<const uint8_t> bytes) {
  return BigNum(BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
}

class CheckPrimeJob : public CryptoJob {
 public:
  CheckPrimeJob(BigNum candidate, int checks) : candidate_(std::move(candidate)), checks_(checks) {}
  void Run() override {
    BigNumCtx ctx(BN_CTX_new());
    // BN_check_prime chooses its own number of rounds; asking for a number is still possible in the older call.
    int result = checks_ > 0 ? BN_is_prime_ex(candidate_.get(), checks_, ctx.get(), nullptr)
                             : BN_check_prime(candidate_.get(), ctx.get(), nullptr);
    if (result < 0) error = CryptoError::FromQueue("Prime check failed");
    is_prime_ = result == 1;
  }
  v8::Local<v8::Value> Result(Js& js) override { return js.Bool(is_prime_); }

 private:
  BigNum candidate_;
  int checks_;
  bool is_prime_ = false;
};

class GeneratePrimeJob : public CryptoJob {
 public:
  GeneratePrimeJob(int bits, bool safe, BigNum add, BigNum rem)
      : bits_(bits), safe_(safe), add_(std::move(add)), rem_(std::move(rem)), prime_(BN_secure_new()) {}
  void Run() override {
    BigNumCtx ctx(BN_CTX_new());
    if (BN_generate_prime_ex2(prime_.get(), bits_, safe_ ? 1 : 0, add_.get(), rem_.get(), nullptr, ctx.get()) != 1) {
      error = CryptoError::FromQueue("Prime generation failed");
    }
  }
  v8::Local<v8::Value> Result(Js& js) override {
    base::Bytes bytes = base::Bytes::Allocate(BN_num_bytes(prime_.get()));
    BN_bn2binpad(prime_.get(), bytes.data(), static_cast<int>(bytes.size()));
    return ToArrayBuffer(js, std::move(bytes));
  }

 private:
  int bits_;
  bool safe_;
  BigNum add_, rem_, prime_;
};

}  // namespace

// checkPrime(candidate, checks, how)
void CheckPrime(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  BytesArg candidate(js.isolate, info[0]);
  ClearErrors();
  BigNum number = ToBigNum(candidate.bytes());
  if (number == nullptr) return ThrowQueued(js, "The number is too long");
  RunJob(js, info, info[2], "checkPrime", std::make_unique<CheckPrimeJob>(std::move(number), IntArg(info, 1)));
}

// generatePrime(bits, safe, add | undefined, rem | undefined, how)
void GeneratePrime(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  BigNum add, rem;
  if (!IsNothing(info[2])) add = ToBigNum(BytesArg(js.isolate, info[2]).bytes());
  if (!IsNothing(info[3])) rem = ToBigNum(BytesArg(js.isolate, info[3]).bytes());
  if ((!IsNothing(info[2]) && add == nullptr) || (!IsNothing(info[3]) && rem == nullptr)) {
    return ThrowQueued(js, "The number is too long");
  }
  int bits = IntArg(info, 0);
  // OpenSSL would search for ever for these.
  if (add != nullptr) {
    if (BN_num_bits(add.get()) > bits)
      return js.Throw("ERR_OUT_OF_RANGE", "options.add", "a value below 2 ** size", "");
    if (rem != nullptr && BN_cmp(add.get(), rem.get()) != 1) {
      return js.Throw("ERR_OUT_OF_RANGE", "options.rem", "smaller than options.add", "");
    }
  }
  RunJob(js, info, info[4], "generatePrime",
         std::make_unique<GeneratePrimeJob>(bits, info[1]->IsTrue(), std::move(add), std::move(rem)));
}

}  // namespace gyre::crypto

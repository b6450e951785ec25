// binding('crypto_cipher'): symmetric ciphers, and encryption with RSA keys.
#include "modules/crypto/keys.h"

#include <openssl/err.h>
#include <openssl/evperr.h>
#include <openssl/proverr.h>
#include <openssl/rsa.h>

#include <climits>
#include <cstring>

namespace gyre::crypto {

namespace {

constexpr int kNoTagLength = -1;

int ModeOf(const EVP_CIPHER* cipher) { return EVP_CIPHER_get_mode(cipher); }
bool IsChaChaPoly(const EVP_CIPHER* cipher) { return EVP_CIPHER_get_nid(cipher) == NID_chacha20_poly1305; }

// Modes that authenticate, as Node counts them.
bool IsAuthenticated(const EVP_CIPHER* cipher) {
  switch (ModeOf(cipher)) {
    case EVP_CIPH_GCM_MODE:
    case EVP_CIPH_CCM_MODE:
    case EVP_CIPH_OCB_MODE:
      return true;
    default:
      return IsChaChaPoly(cipher);
  }
}

// NIST SP 800-38D, section 5.2.1.2.
bool IsValidGcmTagLength(int length) { return length == 4 || length == 8 || (length >= 12 && length <= 16); }

void ThrowTagLength(Js& js, int length) {
  js.Throw("ERR_CRYPTO_INVALID_AUTH_TAG", "Invalid authentication tag length: " + std::to_string(length));
}

// One encryption or decryption.
class CipherState : public Wrap {
 public:
  static const NativeClass kClass;

  static void New(const Info& info);
  void Update(Js& js, const Info& info);
  void Final(Js& js, const Info& info);
  void SetAutoPadding(Js& js, const Info& info);
  void GetAuthTag(Js& js, const Info& info);
  void SetAuthTag(Js& js, const Info& info);
  void SetAad(Js& js, const Info& info);

 private:
  CipherState(Js& js, v8::Local<v8::Object> object, const EVP_CIPHER* cipher, bool encrypts)
      : Wrap(js.realm, object, &kClass), ctx_(EVP_CIPHER_CTX_new()), cipher_(cipher), encrypts_(encrypts) {}

  bool Init(Js& js, std::span<const uint8_t> key, std::span<const uint8_t> iv, bool has_iv, int tag_length,
            const std::string& name);
  bool InitAuthenticated(Js& js, size_t iv_size, int tag_length, const std::string& name);
  bool PassTagOn();
  int mode() const { return ModeOf(cipher_); }
  void ReturnBytes(Js& js, const Info& info, base::Bytes bytes, size_t size);

  CipherCtx ctx_;
  const EVP_CIPHER* cipher_;
  bool encrypts_;
  bool tag_set_ = false;        // JavaScript gave one
  bool tag_passed_on_ = false;  // OpenSSL has it
  bool auth_failed_ = false;
  bool updated_ = false;
  uint8_t tag_[16] = {};
  int tag_length_ = kNoTagLength;
  int max_message_ = INT_MAX;
};

// new CipherState(encrypts, name, key, iv | null, tagLength)
void CipherState::New(const Info& info) {
  Js js(info);
  if (!info.IsConstructCall()) return js.ThrowTypeError("CipherState needs new");
  std::string name = OwnBytes(js.isolate, info[1]);
  const EVP_CIPHER* cipher = CipherByName(name);
  if (cipher == nullptr) return js.Throw("ERR_CRYPTO_UNKNOWN_CIPHER");
  auto* handle = Wrap::From<KeyHandle>(info[2]);
  BytesArg given(js.isolate, info[2]);
  std::span<const uint8_t> key = handle != nullptr ? SpanOf(handle->key()->secret) : given.bytes();
  BytesArg iv(js.isolate, info[3]);
  auto* state = new CipherState(js, info.This(), cipher, info[0]->IsTrue());
  ClearErrors();
  (void)state->Init(js, key, iv.bytes(), !IsNothing(info[3]), IntArg(info, 4), name);
}

bool CipherState::Init(Js& js, std::span<const uint8_t> key, std::span<const uint8_t> iv, bool has_iv, int tag_length,
                       const std::string& name) {
  int wanted = EVP_CIPHER_get_iv_length(cipher_);
  bool authenticated = IsAuthenticated(cipher_);
  bool bad_iv = has_iv ? (!authenticated && iv.size() != static_cast<size_t>(wanted)) ||
                             (authenticated && iv.empty()) || (IsChaChaPoly(cipher_) && iv.size() > 12)
                       : wanted != 0;
  if (bad_iv) {
    js.Throw("ERR_CRYPTO_INVALID_IV");
    return false;
  }
  if (mode() == EVP_CIPH_WRAP_MODE) EVP_CIPHER_CTX_set_flags(ctx_.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
  int encrypt = encrypts_ ? 1 : 0;
  if (EVP_CipherInit_ex(ctx_.get(), cipher_, nullptr, nullptr, nullptr, encrypt) != 1) {
    ThrowQueued(js, "Failed to initialize cipher");
    return false;
  }
  if (authenticated && !InitAuthenticated(js, iv.size(), tag_length, name)) return false;
  if (EVP_CIPHER_CTX_set_key_length(ctx_.get(), static_cast<int>(key.size())) != 1) {
    ClearErrors();
    js.Throw("ERR_CRYPTO_INVALID_KEYLEN");
    return false;
  }
  if (EVP_CipherInit_ex(ctx_.get(), nullptr, nullptr, key.data(), has_iv ? iv.data() : nullptr, encrypt) != 1) {
    ThrowQueued(js, "Failed to initialize cipher");
    return false;
  }
  return true;
}

bool CipherState::InitAuthenticated(Js& js, size_t iv_size, int tag_length, const std::string& name) {
  if (EVP_CIPHER_CTX_ctrl(ctx_.get(), EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(iv_size), nullptr) != 1) {
    ClearErrors();
    js.Throw("ERR_CRYPTO_INVALID_IV");
    return false;
  }
  if (mode() == EVP_CIPH_GCM_MODE) {
    if (tag_length == kNoTagLength) return true;
    if (!IsValidGcmTagLength(tag_length)) {
      ThrowTagLength(js, tag_length);
      return false;
    }
    tag_length_ = tag_length;
    return true;
  }
  if (tag_length == kNoTagLength) {
    if (!IsChaChaPoly(cipher_)) {
      js.Throw("ERR_CRYPTO_INVALID_AUTH_TAG", "authTagLength required for " + name);
      return false;
    }
    tag_length = 16;
  }
  if (EVP_CIPHER_CTX_ctrl(ctx_.get(), EVP_CTRL_AEAD_SET_TAG, tag_length, nullptr) != 1) {
    ClearErrors();
    ThrowTagLength(js, tag_length);
    return false;
  }
  tag_length_ = tag_length;
  if (mode() == EVP_CIPH_CCM_MODE) {
    // RFC 3610: the length field has 15 - (length of the nonce) octets.
    if (iv_size == 12) max_message_ = 16777215;
    if (iv_size == 13) max_message_ = 65535;
  }
  return true;
}

void CipherState::ReturnBytes(Js& js, const Info& info, base::Bytes bytes, size_t size) {
  v8::Local<v8::Object> buffer;
  if (AdoptBuffer(js, bytes.Release(), size).ToLocal(&buffer)) info.GetReturnValue().Set(buffer);
}

// Hands the tag that JavaScript set to OpenSSL, once; true if there is none to hand on.
bool CipherState::PassTagOn() {
  if (!tag_set_ || tag_passed_on_) return true;
  if (EVP_CIPHER_CTX_ctrl(ctx_.get(), EVP_CTRL_AEAD_SET_TAG, tag_length_, tag_) != 1) return false;
  tag_passed_on_ = true;
  return true;
}

void CipherState::Update(Js& js, const Info& info) {
  BytesArg data(js.isolate, info[0]);
  if (data.size() > INT_MAX - 64) return js.Throw("ERR_OUT_OF_RANGE", "data", "<= 2147483583", "");
  if (ctx_ == nullptr) return js.ThrowError("Trying to add data in unsupported state");
  updated_ = true;
  if (mode() == EVP_CIPH_CCM_MODE && data.size() > static_cast<size_t>(max_message_)) {
    return js.Throw("ERR_CRYPTO_INVALID_MESSAGELEN");
  }
  ClearErrors();
  if (!encrypts_ && IsAuthenticated(cipher_) && !PassTagOn()) return ThrowQueued(js, "Invalid authentication tag");
  int size = static_cast<int>(data.size()) + EVP_CIPHER_CTX_get_block_size(ctx_.get());
  // Wrapping with padding may want more than a block.
  if (mode() == EVP_CIPH_WRAP_MODE && encrypts_) size += 16;
  base::Bytes out = base::Bytes::Allocate(static_cast<size_t>(size));
  const uint8_t* in = data.size() == 0 ? reinterpret_cast<const uint8_t*>("") : data.data();
  int ok = EVP_CipherUpdate(ctx_.get(), out.data(), &size, in, static_cast<int>(data.size()));
  if (ok == 1) return ReturnBytes(js, info, std::move(out), static_cast<size_t>(size));
  if (!encrypts_ && mode() == EVP_CIPH_CCM_MODE) {
    // The tag is checked here; the failure is told by final().
    ClearErrors();
    auth_failed_ = true;
    return ReturnBytes(js, info, base::Bytes(), 0);
  }
  ThrowQueued(js, "Trying to add data in unsupported state");
}

void CipherState::Final(Js& js, const Info& info) {
  if (ctx_ == nullptr) return js.Throw("ERR_CRYPTO_INVALID_STATE", "final");
  ClearErrors();
  bool authenticated = IsAuthenticated(cipher_);
  if (encrypts_ && mode() == EVP_CIPH_CCM_MODE && !updated_) {
    // There is a tag only once there was a message, if an empty one.
    ERR_raise(ERR_LIB_PROV, PROV_R_TAG_NOT_SET);
    ctx_.reset();
    return ThrowQueued(js, "Unsupported state");
  }
  base::Bytes out = base::Bytes::Allocate(static_cast<size_t>(EVP_CIPHER_CTX_get_block_size(ctx_.get())));
  int size = 0;
  bool ok;
  if (!encrypts_ && authenticated && !tag_set_ && IsChaChaPoly(cipher_)) {
    ok = false;  // OpenSSL would not look at a tag that it does not have
  } else if (!encrypts_ && mode() == EVP_CIPH_CCM_MODE) {
    ok = !auth_failed_ && tag_set_;
  } else {
    ok = !auth_failed_ && (encrypts_ || !authenticated || PassTagOn()) &&
         EVP_CipherFinal_ex(ctx_.get(), out.data(), &size) == 1;
    if (ok && encrypts_ && authenticated) {
      if (tag_length_ == kNoTagLength) tag_length_ = 16;
      ok = EVP_CIPHER_CTX_ctrl(ctx_.get(), EVP_CTRL_AEAD_GET_TAG, tag_length_, tag_) == 1;
      tag_set_ = ok;
    }
  }
  ctx_.reset();
  if (!ok) {
    if (authenticated && !encrypts_) {
      ClearErrors();
      return js.ThrowError("Unsupported state or unable to authenticate data");
    }
    return ThrowQueued(js, "Unsupported state");
  }
  ReturnBytes(js, info, std::move(out), static_cast<size_t>(size));
}

// Each returns false where the state does not allow it.
void CipherState::SetAutoPadding(Js&, const Info& info) {
  bool ok = ctx_ != nullptr && EVP_CIPHER_CTX_set_padding(ctx_.get(), info[0]->IsFalse() ? 0 : 1) == 1;
  info.GetReturnValue().Set(ok);
}

void CipherState::GetAuthTag(Js& js, const Info& info) {
  if (ctx_ != nullptr || !encrypts_ || !tag_set_) return;
  v8::Local<v8::Object> buffer;
  if (MakeBuffer(js, std::span<const uint8_t>(tag_, static_cast<size_t>(tag_length_))).ToLocal(&buffer)) {
    info.GetReturnValue().Set(buffer);
  }
}

// setAuthTag(tag): false for a wrong state. Returns the length if it should have been announced.
void CipherState::SetAuthTag(Js& js, const Info& info) {
  BytesArg tag(js.isolate, info[0]);
  if (ctx_ == nullptr || encrypts_ || !IsAuthenticated(cipher_) || tag_set_) {
    return info.GetReturnValue().Set(false);
  }
  int length = static_cast<int>(std::min<size_t>(tag.size(), INT_MAX));
  bool is_gcm = mode() == EVP_CIPH_GCM_MODE;
  bool valid = is_gcm ? (tag_length_ == kNoTagLength || tag_length_ == length) && IsValidGcmTagLength(length)
                      : tag_length_ == length;
  if (!valid) return ThrowTagLength(js, length);
  bool implicit_short = is_gcm && tag_length_ == kNoTagLength && length != 16;
  tag_length_ = length;
  std::memcpy(tag_, tag.data(), tag.size());
  tag_set_ = true;
  if (implicit_short) return info.GetReturnValue().Set(length);
  info.GetReturnValue().Set(true);
}

// setAAD(data, plaintextLength | -1)
void CipherState::SetAad(Js& js, const Info& info) {
  BytesArg data(js.isolate, info[0]);
  if (ctx_ == nullptr || !IsAuthenticated(cipher_)) return info.GetReturnValue().Set(false);
  ClearErrors();
  int size;
  if (mode() == EVP_CIPH_CCM_MODE) {
    int plaintext = IntArg(info, 1);
    if (plaintext < 0) {
      return js.Throw("ERR_MISSING_ARGS", "options.plaintextLength required for CCM mode with AAD");
    }
    if (plaintext > max_message_) return js.Throw("ERR_CRYPTO_INVALID_MESSAGELEN");
    if (!encrypts_ && !PassTagOn()) return info.GetReturnValue().Set(false);
    // CCM wants to know the length before anything else.
    if (EVP_CipherUpdate(ctx_.get(), nullptr, &size, nullptr, plaintext) != 1) {
      return info.GetReturnValue().Set(false);
    }
  }
  // A null pointer would announce a length.
  bool ok =
      data.size() == 0 || EVP_CipherUpdate(ctx_.get(), nullptr, &size, data.data(), static_cast<int>(data.size())) == 1;
  ClearErrors();
  info.GetReturnValue().Set(ok);
}

constexpr NativeFunction kCipherMethods[] = {
    RawMethod<&CipherState::Update>("update"),
    RawMethod<&CipherState::Final>("final"),
    RawMethod<&CipherState::SetAutoPadding>("setAutoPadding"),
    RawMethod<&CipherState::GetAuthTag>("getAuthTag"),
    RawMethod<&CipherState::SetAuthTag>("setAuthTag"),
    RawMethod<&CipherState::SetAad>("setAAD"),
};
const NativeClass CipherState::kClass = {
    .name = "CipherBase", .construct = &CipherState::New, .methods = kCipherMethods};

const char* ModeName(const EVP_CIPHER* cipher) {
  switch (ModeOf(cipher)) {
    case EVP_CIPH_CBC_MODE:
      return "cbc";
    case EVP_CIPH_CCM_MODE:
      return "ccm";
    case EVP_CIPH_CFB_MODE:
      return "cfb";
    case EVP_CIPH_CTR_MODE:
      return "ctr";
    case EVP_CIPH_ECB_MODE:
      return "ecb";
    case EVP_CIPH_GCM_MODE:
      return "gcm";
    case EVP_CIPH_OCB_MODE:
      return "ocb";
    case EVP_CIPH_OFB_MODE:
      return "ofb";
    case EVP_CIPH_WRAP_MODE:
      return "wrap";
    case EVP_CIPH_XTS_MODE:
      return "xts";
    case EVP_CIPH_STREAM_CIPHER:
      return "stream";
    default:
      return nullptr;
  }
}

// cipherInfo(name or nid, keyLength | -1, ivLength | -1): undefined if there is none, or none with these lengths.
void CipherInfo(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  std::string name;
  if (info[0]->IsString()) {
    name = OwnBytes(js.isolate, info[0]);
  } else if (const char* short_name = OBJ_nid2sn(IntArg(info, 0))) {
    name = short_name;
  }
  const EVP_CIPHER* cipher = CipherByName(name);
  if (cipher == nullptr) return;
  int key_length = EVP_CIPHER_get_key_length(cipher);
  int iv_length = EVP_CIPHER_get_iv_length(cipher);
  int wanted_key = IntArg(info, 1), wanted_iv = IntArg(info, 2);
  if (wanted_key >= 0 || wanted_iv >= 0) {
    CipherCtx ctx(EVP_CIPHER_CTX_new());
    if (EVP_CipherInit_ex(ctx.get(), cipher, nullptr, nullptr, nullptr, 1) != 1) return ClearErrors();
    if (wanted_key >= 0) {
      if (EVP_CIPHER_CTX_set_key_length(ctx.get(), wanted_key) != 1) return ClearErrors();
      key_length = wanted_key;
    }
    if (wanted_iv >= 0) {
      if (!IsAuthenticated(cipher)) {
        if (wanted_iv != iv_length) return;
      } else if (EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_SET_IVLEN, wanted_iv, nullptr) != 1) {
        return ClearErrors();
      }
      iv_length = wanted_iv;
    }
  }
  v8::Local<v8::Object> result = js.Object();
  if (const char* mode = ModeName(cipher)) js.Set(result, "mode", js.Str(mode));
  int nid = EVP_CIPHER_get_nid(cipher);
  std::string shown = nid == NID_undef ? EVP_CIPHER_get0_name(cipher) : OBJ_nid2sn(nid);
  for (char& c : shown) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  js.Set(result, "name", js.Str(shown));
  js.Set(result, "nid", js.Int(nid));
  if (ModeOf(cipher) != EVP_CIPH_STREAM_CIPHER) js.Set(result, "blockSize", js.Int(EVP_CIPHER_get_block_size(cipher)));
  if (iv_length != 0) js.Set(result, "ivLength", js.Int(iv_length));
  js.Set(result, "keyLength", js.Int(key_length));
  info.GetReturnValue().Set(result);
}

// --- encryption with asymmetric keys ---

enum class RsaOperation : int { kPublicEncrypt, kPrivateDecrypt, kPrivateEncrypt, kPublicDecrypt };

bool InitRsa(RsaOperation operation, EVP_PKEY_CTX* ctx) {
  switch (operation) {
    case RsaOperation::kPublicEncrypt:
      return EVP_PKEY_encrypt_init(ctx) == 1;
    case RsaOperation::kPrivateDecrypt:
      return EVP_PKEY_decrypt_init(ctx) == 1;
    case RsaOperation::kPrivateEncrypt:
      return EVP_PKEY_sign_init(ctx) == 1;
    case RsaOperation::kPublicDecrypt:
      return EVP_PKEY_verify_recover_init(ctx) == 1;
  }
  return false;
}

class RsaCipherJob : public CryptoJob {
 public:
  RsaOperation operation;
  KeyPtr key;
  std::string data, label;
  int padding = 0;
  const Digest* oaep_hash = nullptr;

  void Run() override {
    if (!Crypt() && !error) error = CryptoError::FromQueue("Operation failed");
  }
  v8::Local<v8::Value> Result(Js& js) override { return ToArrayBuffer(js, out_); }

 private:
  bool Crypt() {
    PKeyCtx ctx(EVP_PKEY_CTX_new_from_pkey(nullptr, key->pkey.get(), nullptr));
    if (ctx == nullptr || !InitRsa(operation, ctx.get())) return false;
    if (EVP_PKEY_CTX_set_rsa_padding(ctx.get(), padding) != 1) return false;
    if (operation == RsaOperation::kPrivateDecrypt && padding == RSA_PKCS1_PADDING &&
        EVP_PKEY_CTX_ctrl_str(ctx.get(), "rsa_pkcs1_implicit_rejection", "1") <= 0) {
      // Telling bad padding from good would let a peer decrypt (CVE-2023-46809, "Marvin").
      ClearErrors();
      error = CryptoError{.code = "ERR_INVALID_ARG_VALUE",
                          .message = "RSA_PKCS1_PADDING is no longer supported for private decryption",
                          .is_text = true};
      return false;
    }
    if (oaep_hash != nullptr && EVP_PKEY_CTX_set_rsa_oaep_md(ctx.get(), oaep_hash->md) != 1) return false;
    if (!label.empty()) {
      void* copy = OPENSSL_memdup(label.data(), label.size());
      if (EVP_PKEY_CTX_set0_rsa_oaep_label(ctx.get(), copy, static_cast<int>(label.size())) != 1) {
        OPENSSL_free(copy);
        return false;
      }
    }
    auto run = [&](unsigned char* out, size_t* size) {
      const unsigned char* in = BytePointer(data);
      switch (operation) {
        case RsaOperation::kPublicEncrypt:
          return EVP_PKEY_encrypt(ctx.get(), out, size, in, data.size());
        case RsaOperation::kPrivateDecrypt:
          return EVP_PKEY_decrypt(ctx.get(), out, size, in, data.size());
        case RsaOperation::kPrivateEncrypt:
          return EVP_PKEY_sign(ctx.get(), out, size, in, data.size());
        case RsaOperation::kPublicDecrypt:
          return EVP_PKEY_verify_recover(ctx.get(), out, size, in, data.size());
      }
      return 0;
    };
    size_t size = 0;
    if (run(nullptr, &size) != 1) return false;
    out_.resize(size);
    if (run(reinterpret_cast<unsigned char*>(out_.data()), &size) != 1) return false;
    out_.resize(size);
    return true;
  }
  std::string out_;
};

// throwInvalidDigest(): what OpenSSL says of a hash for OAEP that it does not know.
void ThrowInvalidDigest(const Info& info) {
  Js js(info);
  ClearErrors();
  ERR_raise(ERR_LIB_EVP, EVP_R_INVALID_DIGEST);
  ThrowQueued(js, "Invalid digest");
}

// rsaCipher(operation, key, data, padding, oaepDigest | undefined, label | undefined, how)
void RsaCipher(const Info& info) {
  Js js(info);
  KeyPtr key = KeyHandle::Arg(js, info, 1);
  if (key == nullptr) return;
  auto job = std::make_unique<RsaCipherJob>();
  int operation = IntArg(info, 0);
  if (operation < 0 || operation > 3 || key->pkey == nullptr) return js.ThrowTypeError("Bad operation");
  job->operation = static_cast<RsaOperation>(operation);
  job->key = std::move(key);
  job->data = OwnBytes(js.isolate, info[2]);
  job->padding = IntArg(info, 3);
  if (!IsNothing(info[4])) {
    job->oaep_hash = DigestById(DigestId(OwnBytes(js.isolate, info[4])));
    if (job->oaep_hash == nullptr) return ThrowInvalidDigest(info);
  }
  if (!IsNothing(info[5])) job->label = OwnBytes(js.isolate, info[5]);
  RunJob(js, info, info[6], "rsa", std::move(job));
}

// One whole message, for WebCrypto: AES in any mode of it, and ChaCha20-Poly1305.
class WholeCipherJob : public CryptoJob {
 public:
  const EVP_CIPHER* cipher = nullptr;
  KeyPtr key;
  std::string iv, data, aad;
  bool encrypts = true;
  int tag_length = 0;  // bytes; 0: no authentication

  void Run() override {
    if (!Crypt()) {
      ClearErrors();
      error = CryptoError::Coded("ERR_CRYPTO_OPERATION_FAILED", "Cipher job failed");
    }
  }
  v8::Local<v8::Value> Result(Js& js) override { return ToArrayBuffer(js, out_); }

 private:
  bool Crypt() {
    CipherCtx ctx(EVP_CIPHER_CTX_new());
    EVP_CIPHER_CTX_set_flags(ctx.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    int direction = encrypts ? 1 : 0;
    if (EVP_CipherInit_ex(ctx.get(), cipher, nullptr, nullptr, nullptr, direction) != 1) return false;
    if (tag_length > 0) {
      if (EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(iv.size()), nullptr) != 1) {
        return false;
      }
      if (!encrypts && data.size() < static_cast<size_t>(tag_length)) return false;
      // OCB's tag depends on its length.
      if (ModeOf(cipher) == EVP_CIPH_OCB_MODE &&
          EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_SET_TAG, tag_length, nullptr) != 1) {
        return false;
      }
    }
    if (key->secret.size() != static_cast<size_t>(EVP_CIPHER_CTX_get_key_length(ctx.get()))) return false;
    if (EVP_CipherInit_ex(ctx.get(), nullptr, nullptr, BytePointer(key->secret), iv.empty() ? nullptr : BytePointer(iv),
                          direction) != 1) {
      return false;
    }
    size_t body = data.size();
    if (tag_length > 0 && !encrypts) {
      body -= static_cast<size_t>(tag_length);
      if (EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_SET_TAG, tag_length, data.data() + body) != 1) return false;
    }
    int size = 0;
    if (!aad.empty() &&
        EVP_CipherUpdate(ctx.get(), nullptr, &size, BytePointer(aad), static_cast<int>(aad.size())) != 1) {
      return false;
    }
    out_.resize(body + 64);
    auto* out = reinterpret_cast<unsigned char*>(out_.data());
    if (EVP_CipherUpdate(ctx.get(), out, &size, BytePointer(data), static_cast<int>(body)) != 1) return false;
    int last = 0;
    if (EVP_CipherFinal_ex(ctx.get(), out + size, &last) != 1) return false;
    size += last;
    if (tag_length > 0 && encrypts) {
      if (EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_GET_TAG, tag_length, out + size) != 1) return false;
      size += tag_length;
    }
    out_.resize(static_cast<size_t>(size));
    return true;
  }
  std::string out_;
};

// wholeCipher(encrypts, name, key, iv | undefined, data, aad | undefined, tagLength, how)
void WholeCipher(const Info& info) {
  Js js(info);
  KeyPtr key = KeyHandle::Arg(js, info, 2);
  if (key == nullptr) return;
  auto job = std::make_unique<WholeCipherJob>();
  job->encrypts = info[0]->IsTrue();
  job->cipher = CipherByName(OwnBytes(js.isolate, info[1]));
  if (job->cipher == nullptr) return js.Throw("ERR_CRYPTO_UNKNOWN_CIPHER");
  job->key = std::move(key);
  if (!IsNothing(info[3])) job->iv = OwnBytes(js.isolate, info[3]);
  job->data = OwnBytes(js.isolate, info[4]);
  if (!IsNothing(info[5])) job->aad = OwnBytes(js.isolate, info[5]);
  job->tag_length = IntArg(info, 6);
  RunJob(js, info, info[7], "cipher", std::move(job));
}

constexpr NativeFunction kFunctions[] = {
    RawFn("cipherInfo", &CipherInfo, 3),
    RawFn("rsaCipher", &RsaCipher, 7),
    RawFn("wholeCipher", &WholeCipher, 8),
    RawFn("throwInvalidDigest", &ThrowInvalidDigest),
};
const NativeClass* const kClasses[] = {&CipherState::kClass};

}  // namespace
}  // namespace gyre::crypto

namespace gyre::modules {
extern const NativeModule kCryptoCipherModule;
const NativeModule kCryptoCipherModule = {
    .name = "crypto_cipher", .functions = crypto::kFunctions, .classes = crypto::kClasses};
}  // namespace gyre::modules

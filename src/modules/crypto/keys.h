// Keys: what a KeyObject holds.
//
// Thread: a KeyData is immutable and shared by any number of threads; a KeyHandle belongs to its isolate.
#ifndef GYRE_MODULES_CRYPTO_KEYS_H_
#define GYRE_MODULES_CRYPTO_KEYS_H_

#include <memory>
#include <string>

#include "modules/crypto/args.h"

namespace gyre::crypto {

enum class KeyType : int { kSecret = 0, kPublic = 1, kPrivate = 2 };

struct KeyData {
  KeyType type = KeyType::kSecret;
  std::string secret;  // of a secret key; wiped when the key goes
  PKey pkey;           // of the others
  KeyData() = default;
  KeyData(const KeyData&) = delete;
  KeyData& operator=(const KeyData&) = delete;
  ~KeyData();
};
using KeyPtr = std::shared_ptr<const KeyData>;

KeyPtr MakeSecretKey(std::string bytes);
KeyPtr MakeAsymmetricKey(KeyType type, PKey pkey);

class KeyHandle : public Wrap {
 public:
  static const NativeClass kClass;
  KeyHandle(Js& js, v8::Local<v8::Object> object, KeyPtr key) : Wrap(js.realm, object, &kClass), key_(std::move(key)) {}
  const KeyPtr& key() const { return key_; }

  // What `key` of JavaScript is made of; empty with an exception pending when memory is short.
  static v8::MaybeLocal<v8::Object> Make(Js& js, KeyPtr key);
  // The key behind an argument; null with an exception pending for anything else.
  static KeyPtr Arg(Js& js, const Info& info, int index);

  void Type(Js& js, const Info& info);
  void SecretBytes(Js& js, const Info& info);
  void SecretSize(Js& js, const Info& info);
  void Equals(Js& js, const Info& info);
  void AsymmetricType(Js& js, const Info& info);
  void Details(Js& js, const Info& info);
  void ExportPublic(Js& js, const Info& info);
  void ExportPrivate(Js& js, const Info& info);
  void ExportJwk(Js& js, const Info& info);
  void ExportRaw(Js& js, const Info& info);
  void ToPublic(Js& js, const Info& info);
  void CheckEc(Js& js, const Info& info);

 private:
  KeyPtr key_;
};

/// "rsa", "rsa-pss", "ec", "ed25519", ...; empty for what Node has no name for.
std::string AsymmetricTypeName(const EVP_PKEY* pkey);

// The encodings of a key, as keys.js numbers them.
enum class KeyFormat : int { kPem = 0, kDer = 1 };
enum class KeyEncoding : int { kPkcs1 = 0, kPkcs8 = 1, kSpki = 2, kSec1 = 3, kNone = -1 };

/// Writes a key; failure is left in the error queue (empty result).
std::optional<std::string> WritePublicKey(const EVP_PKEY* pkey, KeyFormat format, KeyEncoding encoding);
std::optional<std::string> WritePrivateKey(const EVP_PKEY* pkey, KeyFormat format, KeyEncoding encoding,
                                           const EVP_CIPHER* cipher, const std::string& passphrase);

}  // namespace gyre::crypto

#endif  // GYRE_MODULES_CRYPTO_KEYS_H_

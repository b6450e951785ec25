#include "modules/crypto/key_decoder.h"

#include <openssl/decoder.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace gyre::crypto {
namespace {

using namespace std::string_view_literals;

// The algorithms of SubjectPublicKeyInfo and PrivateKeyInfo by the content of their object identifiers.
constexpr std::pair<std::string_view, const char*> kAlgorithms[] = {
    {"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01"sv, "RSA"},
    {"\x2a\x86\x48\xce\x3d\x02\x01"sv, "EC"},
    {"\x2b\x65\x6e"sv, "X25519"},
    {"\x2b\x65\x6f"sv, "X448"},
    {"\x2b\x65\x70"sv, "ED25519"},
    {"\x2b\x65\x71"sv, "ED448"},
};

// Walks over DER as far as it takes to see what a key is.
class DerReader {
 public:
  explicit DerReader(std::string_view der) : der_(der) {}

  // The content of the next element, if it has this tag; the reader then stands behind it.
  std::optional<std::string_view> Read(uint8_t tag) {
    if (der_.size() < 2 || static_cast<uint8_t>(der_[0]) != tag) return std::nullopt;
    size_t size = static_cast<uint8_t>(der_[1]);
    size_t head = 2;
    if (size & 0x80) {
      size_t count = size & 0x7f;
      if (count == 0 || count > 4 || der_.size() < 2 + count) return std::nullopt;
      size = 0;
      for (; count > 0; count--) size = size << 8 | static_cast<uint8_t>(der_[head++]);
    }
    if (der_.size() - head < size) return std::nullopt;
    std::string_view content = der_.substr(head, size);
    der_.remove_prefix(head + size);
    return content;
  }

 private:
  std::string_view der_;
};

constexpr uint8_t kInteger = 0x02, kObjectIdentifier = 0x06, kSequence = 0x30;

const char* AlgorithmOf(std::optional<std::string_view> identifier) {
  if (!identifier) return nullptr;
  std::optional<std::string_view> oid = DerReader(*identifier).Read(kObjectIdentifier);
  if (!oid) return nullptr;
  for (auto [content, name] : kAlgorithms) {
    if (*oid == content) return name;
  }
  return nullptr;
}

// A decoder of one kind of key. It writes to `key`, whose address it was made with.
struct Decoder {
  const char* structure;
  const char* type;
  EVP_PKEY* key = nullptr;
  std::unique_ptr<OSSL_DECODER_CTX, FreeWith<&OSSL_DECODER_CTX_free>> ctx;
};

// Guarded by Mutex(). Never destroyed.
std::vector<std::unique_ptr<Decoder>>& Decoders() {
  static auto* decoders = new std::vector<std::unique_ptr<Decoder>>;
  return *decoders;
}

std::mutex& Mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

Decoder& DecoderFor(const char* structure, const char* type, int selection) {
  for (auto& decoder : Decoders()) {
    if (std::string_view(decoder->structure) == structure && std::string_view(decoder->type) == type) return *decoder;
  }
  Decoder& decoder = *Decoders().emplace_back(std::make_unique<Decoder>(structure, type));
  decoder.ctx.reset(OSSL_DECODER_CTX_new_for_pkey(&decoder.key, "DER", structure, type, selection, nullptr, nullptr));
  return decoder;
}

PKey Decode(const std::string& der, const char* structure, const char* type, int selection) {
  if (type == nullptr) return nullptr;
  std::lock_guard lock(Mutex());
  ERR_set_mark();
  Decoder& decoder = DecoderFor(structure, type, selection);
  const unsigned char* at = BytePointer(der);
  size_t size = der.size();
  PKey key;
  if (decoder.ctx != nullptr && OSSL_DECODER_from_data(decoder.ctx.get(), &at, &size) == 1) key.reset(decoder.key);
  if (key == nullptr) EVP_PKEY_free(decoder.key);
  decoder.key = nullptr;
  ERR_pop_to_mark();
  return key;
}

// The DER of the PEM block with this label.
std::optional<std::string> Unarmour(const std::string& text, const char* label) {
  Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  unsigned char* der = nullptr;
  long size = 0;
  ERR_set_mark();
  const bool found = PEM_bytes_read_bio(&der, &size, nullptr, label, bio.get(), nullptr, nullptr) == 1;
  ERR_pop_to_mark();
  if (!found) return std::nullopt;
  std::string result(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  OPENSSL_clear_free(der, static_cast<size_t>(size));
  return result;
}

}  // namespace

PKey DecodePublic(const std::string& spki) {
  std::optional<std::string_view> outer = DerReader(spki).Read(kSequence);
  if (!outer) return nullptr;
  return Decode(spki, "SubjectPublicKeyInfo", AlgorithmOf(DerReader(*outer).Read(kSequence)), EVP_PKEY_PUBLIC_KEY);
}

PKey DecodePrivate(const std::string& pkcs8) {
  std::optional<std::string_view> outer = DerReader(pkcs8).Read(kSequence);
  if (!outer) return nullptr;
  DerReader members(*outer);
  if (!members.Read(kInteger)) return nullptr;
  return Decode(pkcs8, "PrivateKeyInfo", AlgorithmOf(members.Read(kSequence)), EVP_PKEY_KEYPAIR);
}

PKey DecodePemPrivate(const std::string& text) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  const size_t begin = text.find(kBegin);
  // Blocks with headers are encrypted.
  if (begin == std::string::npos || text.find("Proc-Type:") != std::string::npos) return nullptr;
  const std::string_view label = std::string_view(text).substr(begin + kBegin.size());
  const bool pkcs8 = label.starts_with("PRIVATE KEY-----");
  const bool rsa = label.starts_with("RSA PRIVATE KEY-----");
  if (!pkcs8 && !rsa) return nullptr;
  std::optional<std::string> der = Unarmour(text, rsa ? PEM_STRING_RSA : PEM_STRING_PKCS8INF);
  if (!der) return nullptr;
  PKey key = rsa ? Decode(*der, "pkcs1", "RSA", EVP_PKEY_KEYPAIR) : DecodePrivate(*der);
  OPENSSL_cleanse(der->data(), der->size());
  return key;
}

}  // namespace gyre::crypto

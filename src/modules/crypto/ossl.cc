#include "modules/crypto/ossl.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>
#include <openssl/rand.h>

#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace gyre::crypto {

static OpenSslOptions& StartOptions() {
  static OpenSslOptions* options = new OpenSslOptions;
  return *options;
}

void SetOpenSslOptions(OpenSslOptions options) { StartOptions() = std::move(options); }

const OpenSslOptions& GetOpenSslOptions() { return StartOptions(); }

void EnsureOpenSsl() {
  static std::once_flag once;
  // No configuration file unless one is named, which would cost reads at start, and no clean-up at exit, which would
  // cost time there.
  std::call_once(once, [] {
    const OpenSslOptions& options = StartOptions();
    if (options.secure_heap != 0) CRYPTO_secure_malloc_init(options.secure_heap, options.secure_heap_min);
    constexpr uint64_t kAlways = OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_ADD_ALL_DIGESTS | OPENSSL_INIT_ADD_ALL_CIPHERS;
    if (options.config_file.empty()) {
      OPENSSL_init_crypto(kAlways | OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
    } else {
      OPENSSL_INIT_SETTINGS* settings = OPENSSL_INIT_new();
      OPENSSL_INIT_set_config_filename(settings, options.config_file.c_str());
      OPENSSL_init_crypto(kAlways | OPENSSL_INIT_LOAD_CONFIG, settings);
      OPENSSL_INIT_free(settings);
    }
    if (options.legacy_provider) {
      OSSL_PROVIDER_load(nullptr, "default");
      OSSL_PROVIDER_load(nullptr, "legacy");
    }
    ERR_clear_error();
  });
}

void ClearErrors() { ERR_clear_error(); }

CryptoError CryptoError::FromQueue(std::string_view fallback) {
  CryptoError error;
  error.message = fallback;
  while (unsigned long code = ERR_get_error()) {
    if (error.ossl_code == 0) error.ossl_code = code;
    error.stack.insert(error.stack.begin(), code);
  }
  return error;
}

CryptoError CryptoError::Coded(std::string_view code, std::string_view argument) {
  ClearErrors();
  CryptoError error;
  error.code = code;
  error.message = argument;
  return error;
}

std::string ErrorText(unsigned long ossl_code) {
  OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr);
  char text[256];
  ERR_error_string_n(ossl_code, text, sizeof text);
  return text;
}

namespace {

// The libraries whose name is part of Node's code; the others (providers, decoders) are not named.
const char* LibraryPrefix(int library) {
  switch (library) {
    case ERR_LIB_SYS:
      return "SYS_";
    case ERR_LIB_BN:
      return "BN_";
    case ERR_LIB_RSA:
      return "RSA_";
    case ERR_LIB_DH:
      return "DH_";
    case ERR_LIB_EVP:
      return "EVP_";
    case ERR_LIB_BUF:
      return "BUF_";
    case ERR_LIB_OBJ:
      return "OBJ_";
    case ERR_LIB_PEM:
      return "PEM_";
    case ERR_LIB_DSA:
      return "DSA_";
    case ERR_LIB_X509:
      return "X509_";
    case ERR_LIB_ASN1:
      return "ASN1_";
    case ERR_LIB_CONF:
      return "CONF_";
    case ERR_LIB_CRYPTO:
      return "CRYPTO_";
    case ERR_LIB_EC:
      return "EC_";
    case ERR_LIB_BIO:
      return "BIO_";
    case ERR_LIB_PKCS7:
      return "PKCS7_";
    case ERR_LIB_X509V3:
      return "X509V3_";
    case ERR_LIB_PKCS12:
      return "PKCS12_";
    case ERR_LIB_RAND:
      return "RAND_";
    case ERR_LIB_DSO:
      return "DSO_";
    case ERR_LIB_ENGINE:
      return "ENGINE_";
    case ERR_LIB_OCSP:
      return "OCSP_";
    case ERR_LIB_UI:
      return "UI_";
    case ERR_LIB_COMP:
      return "COMP_";
    case ERR_LIB_CMS:
      return "CMS_";
    case ERR_LIB_TS:
      return "TS_";
    case ERR_LIB_HMAC:
      return "HMAC_";
    case ERR_LIB_CT:
      return "CT_";
    case ERR_LIB_ASYNC:
      return "ASYNC_";
    case ERR_LIB_KDF:
      return "KDF_";
    case ERR_LIB_SM2:
      return "SM2_";
    default:
      return "";
  }
}

}  // namespace

std::string ErrorCodeName(unsigned long ossl_code) {
  OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr);
  const char* reason = ERR_reason_error_string(ossl_code);
  if (reason == nullptr) return {};
  int library = ERR_GET_LIB(ossl_code);
  std::string name = library == ERR_LIB_SSL ? "ERR_SSL_" : std::string("ERR_OSSL_") + LibraryPrefix(library);
  for (const char* c = reason; *c != '\0'; c++) {
    name += *c == ' ' ? '_' : static_cast<char>(*c >= 'a' && *c <= 'z' ? *c - 32 : *c);
  }
  return name;
}

namespace {

struct DigestTable {
  static constexpr int kCapacity = 256;
  std::mutex mutex;
  std::unordered_map<std::string, int> by_name;
  std::array<Digest, kCapacity> digests;
  std::atomic<int> count = 0;

  static DigestTable& Get() {
    static DigestTable* table = new DigestTable;
    return *table;
  }
};

EVP_MD* FetchDigest(const std::string& name) {
  // What SHA-1 was called beside DSA keys.
  if (name == "DSS1" || name == "dss1") return FetchDigest("SHA1");
  if (EVP_MD* md = EVP_MD_fetch(nullptr, name.c_str(), nullptr)) return md;
  ClearErrors();
  // Aliases such as RSA-SHA256 are known to the older table only.
  const EVP_MD* alias = EVP_get_digestbyname(name.c_str());
  if (alias == nullptr) return nullptr;
  EVP_MD* md = EVP_MD_fetch(nullptr, EVP_MD_get0_name(alias), nullptr);
  ClearErrors();
  return md;
}

}  // namespace

int DigestId(const std::string& name) {
  EnsureOpenSsl();
  DigestTable& table = DigestTable::Get();
  std::lock_guard lock(table.mutex);
  auto found = table.by_name.find(name);
  if (found != table.by_name.end()) return found->second;
  EVP_MD* md = FetchDigest(name);
  if (md == nullptr) return -1;
  int count = table.count.load(std::memory_order_relaxed);
  for (int id = 0; id < count; id++) {
    if (table.digests[id].md == md) {
      EVP_MD_free(md);
      table.by_name.emplace(name, id);
      return id;
    }
  }
  if (count == DigestTable::kCapacity) {
    EVP_MD_free(md);
    return -1;
  }
  table.digests[count] = {md, EVP_MD_get_size(md), (EVP_MD_get_flags(md) & EVP_MD_FLAG_XOF) != 0};
  table.by_name.emplace(name, count);
  table.count.store(count + 1, std::memory_order_release);
  return count;
}

const Digest* DigestById(int id) {
  DigestTable& table = DigestTable::Get();
  if (id < 0 || id >= table.count.load(std::memory_order_acquire)) return nullptr;
  return &table.digests[id];
}

const EVP_CIPHER* CipherByName(const std::string& name) {
  EnsureOpenSsl();
  static std::mutex mutex;
  static auto* ciphers = new std::unordered_map<std::string, const EVP_CIPHER*>;
  std::lock_guard lock(mutex);
  auto found = ciphers->find(name);
  if (found != ciphers->end()) return found->second;
  const EVP_CIPHER* cipher = EVP_CIPHER_fetch(nullptr, name.c_str(), nullptr);
  if (cipher == nullptr) {
    const EVP_CIPHER* alias = EVP_get_cipherbyname(name.c_str());
    if (alias != nullptr) cipher = EVP_CIPHER_fetch(nullptr, EVP_CIPHER_get0_name(alias), nullptr);
  }
  ClearErrors();
  if (cipher != nullptr && ciphers->size() < 1024) ciphers->emplace(name, cipher);
  return cipher;
}

bool RandomBytes(std::span<uint8_t> out) {
  EnsureOpenSsl();
  constexpr size_t kPiece = 1 << 30;
  while (!out.empty()) {
    size_t size = std::min(out.size(), kPiece);
    if (RAND_bytes(out.data(), static_cast<int>(size)) != 1) return false;
    out = out.subspan(size);
  }
  return true;
}

bool DigestOnce(EVP_MD_CTX* ctx, const Digest& digest, std::span<const uint8_t> message, uint8_t* out,
                size_t out_size) {
  if (EVP_DigestInit_ex(ctx, digest.md, nullptr) != 1) return false;
  if (EVP_DigestUpdate(ctx, message.data(), message.size()) != 1) return false;
  if (out_size == static_cast<size_t>(digest.size)) return EVP_DigestFinal_ex(ctx, out, nullptr) == 1;
  if (out_size == 0) return true;
  return EVP_DigestFinalXOF(ctx, out, out_size) == 1;
}

namespace {

std::string EncodeBase64(std::span<const uint8_t> bytes, const char* alphabet, bool pad) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  size_t i = 0;
  for (; i + 2 < bytes.size(); i += 3) {
    uint32_t bits = bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
    text += alphabet[bits >> 18];
    text += alphabet[bits >> 12 & 63];
    text += alphabet[bits >> 6 & 63];
    text += alphabet[bits & 63];
  }
  size_t rest = bytes.size() - i;
  if (rest == 0) return text;
  uint32_t bits = bytes[i] << 16 | (rest == 2 ? bytes[i + 1] << 8 : 0);
  text += alphabet[bits >> 18];
  text += alphabet[bits >> 12 & 63];
  if (rest == 2) text += alphabet[bits >> 6 & 63];
  if (pad) text.append(rest == 2 ? 1 : 2, '=');
  return text;
}

}  // namespace

std::string Encode(std::span<const uint8_t> bytes, Encoding encoding) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (encoding) {
    case Encoding::kHex: {
      std::string text(bytes.size() * 2, '\0');
      for (size_t i = 0; i < bytes.size(); i++) {
        text[2 * i] = kHex[bytes[i] >> 4];
        text[2 * i + 1] = kHex[bytes[i] & 15];
      }
      return text;
    }
    case Encoding::kBase64:
      return EncodeBase64(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", true);
    case Encoding::kBase64Url:
      return EncodeBase64(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", false);
    case Encoding::kBytes:
    case Encoding::kLatin1:
      break;
  }
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::span<const uint8_t> BioBytes(BIO* bio) {
  char* data = nullptr;
  long size = BIO_get_mem_data(bio, &data);
  if (size <= 0) return {};
  return {reinterpret_cast<const uint8_t*>(data), static_cast<size_t>(size)};
}

std::string BioText(BIO* bio) {
  std::span<const uint8_t> bytes = BioBytes(bio);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace gyre::crypto

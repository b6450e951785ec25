#include <openssl/ec.h>
#include <openssl/objects.h>

#include <set>
#include <string>
#include <vector>

#include "modules/crypto/hash.h"

namespace gyre::crypto {

// Names of what can really be used, aliases too.
void GetHashes(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  std::vector<std::string> names;
  EVP_MD_do_all_sorted(
      [](const EVP_MD* md, const char* from, const char* to, void* list) {
        if (from == nullptr) return;
        // Without a digest of its own it is another name for `to`.
        const char* alias_of = to != nullptr ? to : from;
        const char* real = md != nullptr ? EVP_MD_get0_name(md) : alias_of;
        EVP_MD* fetched = EVP_MD_fetch(nullptr, real, nullptr);
        if (fetched == nullptr) return;
        EVP_MD_free(fetched);
        static_cast<std::vector<std::string>*>(list)->push_back(from);
      },
      &names);
  ClearErrors();
  engine::Return(js, info, names);
}

void GetCiphers(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  std::vector<std::string> names;
  EVP_CIPHER_do_all_sorted(
      [](const EVP_CIPHER* cipher, const char* from, const char* to, void* list) {
        if (from == nullptr) return;
        // Without a cipher of its own it is another name.
        if (cipher == nullptr) cipher = EVP_get_cipherbyname(to != nullptr ? to : from);
        if (cipher == nullptr) return;
        const char* real = EVP_CIPHER_get0_name(cipher);
        EVP_CIPHER* fetched = EVP_CIPHER_fetch(nullptr, real, nullptr);
        if (fetched == nullptr) return;
        EVP_CIPHER_free(fetched);
        static_cast<std::vector<std::string>*>(list)->push_back(from);
      },
      &names);
  ClearErrors();
  engine::Return(js, info, names);
}

void GetCurves(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  size_t count = EC_get_builtin_curves(nullptr, 0);
  std::vector<EC_builtin_curve> curves(count);
  std::vector<std::string> names;
  if (EC_get_builtin_curves(curves.data(), count) > 0) {
    for (const EC_builtin_curve& curve : curves) names.push_back(OBJ_nid2sn(curve.nid));
  }
  engine::Return(js, info, names);
}

void GetFips(const Info& info) {
  EnsureOpenSsl();
  info.GetReturnValue().Set(EVP_default_properties_is_fips_enabled(nullptr) == 1 ? 1 : 0);
}

void SetFips(const Info& info) {
  Js js(info);
  EnsureOpenSsl();
  int wanted = info[0]->BooleanValue(js.isolate) ? 1 : 0;
  if (wanted == EVP_default_properties_is_fips_enabled(nullptr)) return;
  ClearErrors();
  // Without a FIPS provider every later fetch fails, as the user asked for.
  if (EVP_default_properties_enable_fips(nullptr, wanted) != 1) ThrowQueued(js, "Cannot set FIPS mode");
}

}  // namespace gyre::crypto

#include "modules/process/versions.h"

#include <ares_version.h>
#include <brotli/decode.h>
#include <nghttp2/nghttp2ver.h>
#include <sqlite3.h>
#include <openssl/opensslv.h>
#include <zlib.h>
#include <zstd.h>

#include <string>

#include "engine/realm.h"

// ICU comes inside V8's library, without its headers.
extern "C" {
const char* ucal_getTZDataVersion_77(int* status);
void ulocdata_getCLDRVersion_77(uint8_t version[4], int* status);
}

namespace gyre::modules {

v8::Local<v8::Object> LinkedVersions(Js& js) {
  v8::Local<v8::Object> versions = js.Object();
  uint32_t brotli = BrotliDecoderVersion();
  std::string brotli_text =
      std::to_string(brotli >> 24) + "." + std::to_string((brotli >> 12) & 0xfff) + "." + std::to_string(brotli & 0xfff);
  js.Set(versions, "gyre", js.Str(GYRE_VERSION));
  js.Set(versions, "v8", js.Str(std::string(v8::V8::GetVersion())));
  js.Set(versions, "openssl", js.Str(OPENSSL_VERSION_STR));
  js.Set(versions, "zlib", js.Str(zlibVersion()));
  js.Set(versions, "zstd", js.Str(ZSTD_versionString()));
  js.Set(versions, "brotli", js.Str(brotli_text));
  js.Set(versions, "ares", js.Str(ARES_VERSION_STR));
  js.Set(versions, "nghttp2", js.Str(NGHTTP2_VERSION));
  js.Set(versions, "sqlite", js.Str(SQLITE_VERSION));
  js.Set(versions, "icu", js.Str("77.1"));
  js.Set(versions, "unicode", js.Str("16.0"));
  int status = 0;
  const char* zones = ucal_getTZDataVersion_77(&status);
  if (status <= 0 && zones != nullptr) js.Set(versions, "tz", js.Str(zones));
  uint8_t cldr[4] = {};
  status = 0;
  ulocdata_getCLDRVersion_77(cldr, &status);
  if (status <= 0) js.Set(versions, "cldr", js.Str(std::to_string(cldr[0]) + "." + std::to_string(cldr[1])));
  return versions;
}

}  // namespace gyre::modules

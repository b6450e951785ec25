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
  return versions;
}

}  // namespace gyre::modules

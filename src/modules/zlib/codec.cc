#include "modules/zlib/codec.h"

#include <utility>

namespace gyre::zlib {

std::optional<Failure> Codec::SetParams(int, int) { return std::nullopt; }

std::unique_ptr<Codec> MakeCodec(Mode mode, std::span<const double> params, std::vector<uint8_t> dictionary,
                                 Failure* failure) {
  switch (mode) {
    case Mode::kDeflate:
    case Mode::kInflate:
    case Mode::kGzip:
    case Mode::kGunzip:
    case Mode::kDeflateRaw:
    case Mode::kInflateRaw:
    case Mode::kUnzip:
      return MakeZlibCodec(mode, params, std::move(dictionary), failure);
    case Mode::kBrotliDecode:
    case Mode::kBrotliEncode:
      return MakeBrotliCodec(mode, params, failure);
    case Mode::kZstdCompress:
    case Mode::kZstdDecompress:
      return MakeZstdCodec(mode, params, std::move(dictionary), failure);
    case Mode::kNone:
      break;
  }
  *failure = {"Initialization failed", 0, "ERR_ZLIB_INITIALIZATION_FAILED"};
  return nullptr;
}

}  // namespace gyre::zlib

// The compression libraries behind one interface, without V8.
//
// A Codec turns input into output step by step: each Step consumes what it can and fills what room there is.
// Thread: any, one at a time (a Codec in use by a lane is left alone elsewhere). Owner: a stream's wrapper, or the job
// of a whole buffer. Invariant: nothing that a peer sends makes a Codec use more memory than its window and tables.
#ifndef GYRE_MODULES_ZLIB_CODEC_H_
#define GYRE_MODULES_ZLIB_CODEC_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gyre::zlib {

/// The values of zlib.constants.
enum class Mode : int {
  kNone = 0,
  kDeflate = 1,
  kInflate = 2,
  kGzip = 3,
  kGunzip = 4,
  kDeflateRaw = 5,
  kInflateRaw = 6,
  kUnzip = 7,
  kBrotliDecode = 8,
  kBrotliEncode = 9,
  kZstdCompress = 10,
  kZstdDecompress = 11,
};

/// What JavaScript makes an Error of.
struct Failure {
  std::string message;
  int err = 0;
  std::string code;
};

/// Input not yet consumed and room not yet filled.
struct Cursor {
  const uint8_t* in = nullptr;
  size_t in_left = 0;
  uint8_t* out = nullptr;
  size_t out_left = 0;
};

class Codec {
 public:
  virtual ~Codec() = default;

  /// One step with a flush value of the codec's own family; advances `cursor`.
  virtual void Step(int flush, Cursor& cursor) = 0;
  /// What went wrong in the last step. `flush` and `cursor` are those after it: missing input is an error only
  /// when the caller says that there is no more.
  virtual std::optional<Failure> Check(int flush, const Cursor& cursor) const = 0;
  virtual std::optional<Failure> Reset() = 0;
  /// Compression level and strategy from here on; only zlib has them.
  virtual std::optional<Failure> SetParams(int level, int strategy);
  /// True once the compressed data has ended, whatever follows.
  virtual bool ended() const { return false; }
};

/// `params`: zlib: window bits, level, memory level, strategy; brotli: key and value by turns; zstd: the pledged size
/// (-1: none), then key and value by turns. Null, with `*failure` set, when the library refuses.
std::unique_ptr<Codec> MakeCodec(Mode mode, std::span<const double> params, std::vector<uint8_t> dictionary,
                                 Failure* failure);

std::unique_ptr<Codec> MakeZlibCodec(Mode mode, std::span<const double> params, std::vector<uint8_t> dictionary,
                                     Failure* failure);
std::unique_ptr<Codec> MakeBrotliCodec(Mode mode, std::span<const double> params, Failure* failure);
std::unique_ptr<Codec> MakeZstdCodec(Mode mode, std::span<const double> params, std::vector<uint8_t> dictionary,
                                     Failure* failure);

}  // namespace gyre::zlib

#endif  // GYRE_MODULES_ZLIB_CODEC_H_

// Brotli, by Google's library.
#include <brotli/decode.h>
#include <brotli/encode.h>

#include <string>
#include <string_view>

#include "modules/zlib/codec.h"

namespace gyre::zlib {

namespace {

/// Node's name of a decoder's error: "ERR__ERROR_FORMAT_PADDING_1". The library's own string has the whole prefix, a
/// part of it or none, as its version goes; the groups of decode.h tell what belongs there.
std::string CodeOf(BrotliDecoderErrorCode error) {
  std::string_view name = BrotliDecoderErrorString(error);
  for (std::string_view prefix : {"_", "ERROR_", "FORMAT_", "ALLOC_"}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  int number = static_cast<int>(error);
  std::string_view group = number >= BROTLI_DECODER_ERROR_FORMAT_DISTANCE ? "FORMAT_" : "";
  if (number <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && number >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES) {
    group = "ALLOC_";
  }
  return std::string("ERR__ERROR_").append(group).append(name);
}

constexpr int kBufError = -5;  // Z_BUF_ERROR, which a truncated stream of any codec gives

struct FreeEncoder {
  void operator()(BrotliEncoderState* state) const { BrotliEncoderDestroyInstance(state); }
};
struct FreeDecoder {
  void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
};

Failure InitFailure() { return {"Initialization failed", 0, "ERR_ZLIB_INITIALIZATION_FAILED"}; }

class BrotliEncoder : public Codec {
 public:
  explicit BrotliEncoder(std::vector<double> params) : params_(std::move(params)) {}

  std::optional<Failure> Reset() override {
    ok_ = true;
    state_.reset(BrotliEncoderCreateInstance(nullptr, nullptr, nullptr));
    if (state_ == nullptr) return InitFailure();
    for (size_t i = 0; i + 1 < params_.size(); i += 2) {
      auto key = static_cast<BrotliEncoderParameter>(static_cast<int>(params_[i]));
      if (!BrotliEncoderSetParameter(state_.get(), key, static_cast<uint32_t>(params_[i + 1]))) {
        return InitFailure();
      }
    }
    return std::nullopt;
  }

  void Step(int flush, Cursor& cursor) override {
    ok_ = BrotliEncoderCompressStream(state_.get(), static_cast<BrotliEncoderOperation>(flush), &cursor.in_left,
                                      &cursor.in, &cursor.out_left, &cursor.out, nullptr);
  }

  std::optional<Failure> Check(int, const Cursor&) const override {
    if (ok_) return std::nullopt;
    return Failure{"Compression failed", -1, "ERR_BROTLI_COMPRESSION_FAILED"};
  }

 private:
  std::vector<double> params_;
  std::unique_ptr<BrotliEncoderState, FreeEncoder> state_;
  bool ok_ = true;
};

class BrotliDecoder : public Codec {
 public:
  explicit BrotliDecoder(std::vector<double> params) : params_(std::move(params)) {}

  std::optional<Failure> Reset() override {
    result_ = BROTLI_DECODER_RESULT_SUCCESS;
    error_ = BROTLI_DECODER_NO_ERROR;
    state_.reset(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr));
    if (state_ == nullptr) return InitFailure();
    for (size_t i = 0; i + 1 < params_.size(); i += 2) {
      auto key = static_cast<BrotliDecoderParameter>(static_cast<int>(params_[i]));
      if (!BrotliDecoderSetParameter(state_.get(), key, static_cast<uint32_t>(params_[i + 1]))) {
        return InitFailure();
      }
    }
    return std::nullopt;
  }

  void Step(int, Cursor& cursor) override {
    result_ = BrotliDecoderDecompressStream(state_.get(), &cursor.in_left, &cursor.in, &cursor.out_left, &cursor.out,
                                            nullptr);
    if (result_ == BROTLI_DECODER_RESULT_ERROR) error_ = BrotliDecoderGetErrorCode(state_.get());
  }

  std::optional<Failure> Check(int flush, const Cursor&) const override {
    if (error_ != BROTLI_DECODER_NO_ERROR) {
      std::string code = CodeOf(error_);
      return Failure{"Decompression failed", static_cast<int>(error_), code};
    }
    if (flush == BROTLI_OPERATION_FINISH && result_ == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) {
      return Failure{"unexpected end of file", kBufError, "Z_BUF_ERROR"};
    }
    return std::nullopt;
  }

  bool ended() const override { return BrotliDecoderIsFinished(state_.get()); }

 private:
  std::vector<double> params_;
  std::unique_ptr<BrotliDecoderState, FreeDecoder> state_;
  BrotliDecoderResult result_ = BROTLI_DECODER_RESULT_SUCCESS;
  BrotliDecoderErrorCode error_ = BROTLI_DECODER_NO_ERROR;
};

}  // namespace

std::unique_ptr<Codec> MakeBrotliCodec(Mode mode, std::span<const double> params, Failure* failure) {
  std::vector<double> own(params.begin(), params.end());
  std::unique_ptr<Codec> codec;
  if (mode == Mode::kBrotliEncode) {
    codec = std::make_unique<BrotliEncoder>(std::move(own));
  } else {
    codec = std::make_unique<BrotliDecoder>(std::move(own));
  }
  if (std::optional<Failure> error = codec->Reset()) {
    *failure = std::move(*error);
    return nullptr;
  }
  return codec;
}

}  // namespace gyre::zlib

// Zstandard, by Meta's library.
#include <zstd.h>
#include <zstd_errors.h>

#include "modules/zlib/codec.h"

namespace gyre::zlib {

namespace {

constexpr int kBufError = -5;  // Z_BUF_ERROR

// The library's own name of an error, as zlib.constants spells it.
const char* ErrorName(ZSTD_ErrorCode code) {
  switch (code) {
#define GYRE_NAME(name)   \
  case ZSTD_error_##name: \
    return "ZSTD_error_" #name;
    GYRE_NAME(no_error)
    GYRE_NAME(GENERIC)
    GYRE_NAME(prefix_unknown)
    GYRE_NAME(version_unsupported)
    GYRE_NAME(frameParameter_unsupported)
    GYRE_NAME(frameParameter_windowTooLarge)
    GYRE_NAME(corruption_detected)
    GYRE_NAME(checksum_wrong)
    GYRE_NAME(dictionary_corrupted)
    GYRE_NAME(dictionary_wrong)
    GYRE_NAME(dictionaryCreation_failed)
    GYRE_NAME(parameter_unsupported)
    GYRE_NAME(parameter_outOfBound)
    GYRE_NAME(tableLog_tooLarge)
    GYRE_NAME(maxSymbolValue_tooLarge)
    GYRE_NAME(maxSymbolValue_tooSmall)
    GYRE_NAME(stage_wrong)
    GYRE_NAME(init_missing)
    GYRE_NAME(memory_allocation)
    GYRE_NAME(workSpace_tooSmall)
    GYRE_NAME(dstSize_tooSmall)
    GYRE_NAME(srcSize_wrong)
    GYRE_NAME(dstBuffer_null)
#undef GYRE_NAME
    default:
      return "ZSTD_error_GENERIC";
  }
}

Failure FailureOf(size_t result) {
  ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
  return {ZSTD_getErrorString(code), static_cast<int>(code), ErrorName(code)};
}

Failure InitFailure(const char* message) { return {message, 0, "ERR_ZLIB_INITIALIZATION_FAILED"}; }

struct FreeCCtx {
  void operator()(ZSTD_CCtx* ctx) const { ZSTD_freeCCtx(ctx); }
};
struct FreeDCtx {
  void operator()(ZSTD_DCtx* ctx) const { ZSTD_freeDCtx(ctx); }
};

class ZstdCompressor : public Codec {
 public:
  ZstdCompressor(std::vector<double> params, std::vector<uint8_t> dictionary)
      : params_(std::move(params)), dictionary_(std::move(dictionary)) {}

  std::optional<Failure> Reset() override {
    result_ = 0;
    ended_ = false;
    ctx_.reset(ZSTD_createCCtx());
    if (ctx_ == nullptr) return InitFailure("Could not initialize zstd instance");
    for (size_t i = 1; i + 1 < params_.size(); i += 2) {
      auto key = static_cast<ZSTD_cParameter>(static_cast<int>(params_[i]));
      if (ZSTD_isError(ZSTD_CCtx_setParameter(ctx_.get(), key, static_cast<int>(params_[i + 1])))) {
        return InitFailure("Setting parameter failed");
      }
    }
    if (!dictionary_.empty() &&
        ZSTD_isError(ZSTD_CCtx_loadDictionary(ctx_.get(), dictionary_.data(), dictionary_.size()))) {
      return InitFailure("Failed to load zstd dictionary");
    }
    if (!params_.empty() && params_[0] >= 0 &&
        ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(ctx_.get(), static_cast<unsigned long long>(params_[0])))) {
      return InitFailure("Could not set pledged src size");
    }
    return std::nullopt;
  }

  void Step(int flush, Cursor& cursor) override {
    // Ending a frame that has ended would begin another.
    if (ended_ && cursor.in_left == 0) return;
    ZSTD_inBuffer in = {cursor.in, cursor.in_left, 0};
    ZSTD_outBuffer out = {cursor.out, cursor.out_left, 0};
    result_ = ZSTD_compressStream2(ctx_.get(), &out, &in, static_cast<ZSTD_EndDirective>(flush));
    ended_ = flush == ZSTD_e_end && result_ == 0;
    cursor.in += in.pos;
    cursor.in_left -= in.pos;
    cursor.out += out.pos;
    cursor.out_left -= out.pos;
  }

  std::optional<Failure> Check(int, const Cursor&) const override {
    if (ZSTD_isError(result_)) return FailureOf(result_);
    return std::nullopt;
  }

 private:
  std::vector<double> params_;
  std::vector<uint8_t> dictionary_;
  std::unique_ptr<ZSTD_CCtx, FreeCCtx> ctx_;
  size_t result_ = 0;
  bool ended_ = false;
};

class ZstdDecompressor : public Codec {
 public:
  ZstdDecompressor(std::vector<double> params, std::vector<uint8_t> dictionary)
      : params_(std::move(params)), dictionary_(std::move(dictionary)) {}

  std::optional<Failure> Reset() override {
    result_ = 0;
    started_ = ended_ = false;
    ctx_.reset(ZSTD_createDCtx());
    if (ctx_ == nullptr) return InitFailure("Could not initialize zstd instance");
    for (size_t i = 1; i + 1 < params_.size(); i += 2) {
      auto key = static_cast<ZSTD_dParameter>(static_cast<int>(params_[i]));
      if (ZSTD_isError(ZSTD_DCtx_setParameter(ctx_.get(), key, static_cast<int>(params_[i + 1])))) {
        return InitFailure("Setting parameter failed");
      }
    }
    if (!dictionary_.empty() &&
        ZSTD_isError(ZSTD_DCtx_loadDictionary(ctx_.get(), dictionary_.data(), dictionary_.size()))) {
      return InitFailure("Failed to load zstd dictionary");
    }
    return std::nullopt;
  }

  void Step(int, Cursor& cursor) override {
    if (ended_) return;
    if (cursor.in_left > 0) started_ = true;
    ZSTD_inBuffer in = {cursor.in, cursor.in_left, 0};
    ZSTD_outBuffer out = {cursor.out, cursor.out_left, 0};
    result_ = ZSTD_decompressStream(ctx_.get(), &out, &in);
    if (result_ == 0) ended_ = true;  // one frame; what follows is not ours
    cursor.in += in.pos;
    cursor.in_left -= in.pos;
    cursor.out += out.pos;
    cursor.out_left -= out.pos;
  }

  std::optional<Failure> Check(int flush, const Cursor& cursor) const override {
    if (ZSTD_isError(result_)) return FailureOf(result_);
    if (flush == ZSTD_e_end && started_ && !ended_ && cursor.in_left == 0 && cursor.out_left > 0) {
      return Failure{"unexpected end of file", kBufError, "Z_BUF_ERROR"};
    }
    return std::nullopt;
  }

  bool ended() const override { return ended_; }

 private:
  std::vector<double> params_;
  std::vector<uint8_t> dictionary_;
  std::unique_ptr<ZSTD_DCtx, FreeDCtx> ctx_;
  size_t result_ = 0;
  bool started_ = false, ended_ = false;
};

}  // namespace

std::unique_ptr<Codec> MakeZstdCodec(Mode mode, std::span<const double> params, std::vector<uint8_t> dictionary,
                                     Failure* failure) {
  std::vector<double> own(params.begin(), params.end());
  std::unique_ptr<Codec> codec;
  if (mode == Mode::kZstdCompress) {
    codec = std::make_unique<ZstdCompressor>(std::move(own), std::move(dictionary));
  } else {
    codec = std::make_unique<ZstdDecompressor>(std::move(own), std::move(dictionary));
  }
  if (std::optional<Failure> error = codec->Reset()) {
    *failure = std::move(*error);
    return nullptr;
  }
  return codec;
}

}  // namespace gyre::zlib

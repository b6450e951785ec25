// deflate and inflate in their three framings, by zlib.
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "modules/zlib/codec.h"

namespace gyre::zlib {

namespace {

const char* CodeName(int err) {
  switch (err) {
    case Z_OK:
      return "Z_OK";
    case Z_STREAM_END:
      return "Z_STREAM_END";
    case Z_NEED_DICT:
      return "Z_NEED_DICT";
    case Z_ERRNO:
      return "Z_ERRNO";
    case Z_STREAM_ERROR:
      return "Z_STREAM_ERROR";
    case Z_DATA_ERROR:
      return "Z_DATA_ERROR";
    case Z_MEM_ERROR:
      return "Z_MEM_ERROR";
    case Z_BUF_ERROR:
      return "Z_BUF_ERROR";
    case Z_VERSION_ERROR:
      return "Z_VERSION_ERROR";
    default:
      return "";
  }
}

constexpr uint8_t kGzipMagic[] = {0x1f, 0x8b};

bool Deflates(Mode mode) { return mode == Mode::kDeflate || mode == Mode::kGzip || mode == Mode::kDeflateRaw; }

class ZlibCodec : public Codec {
 public:
  ZlibCodec(Mode mode, int window_bits, int level, int memory_level, int strategy, std::vector<uint8_t> dictionary)
      : mode_(mode),
        declared_mode_(mode),
        window_bits_(window_bits),
        level_(level),
        memory_level_(memory_level),
        strategy_(strategy),
        dictionary_(std::move(dictionary)) {}
  ~ZlibCodec() override {
    if (!ready_) return;
    if (Deflates(mode_)) {
      deflateEnd(&stream_);
    } else {
      inflateEnd(&stream_);
    }
  }

  std::optional<Failure> Init();
  void Step(int flush, Cursor& cursor) override;
  std::optional<Failure> Check(int flush, const Cursor& cursor) const override;
  std::optional<Failure> Reset() override;
  std::optional<Failure> SetParams(int level, int strategy) override;
  bool ended() const override { return err_ == Z_STREAM_END; }

 private:
  int FramedWindowBits() const;
  void Inflate(int flush, Cursor& cursor);
  void InflateOnce(int flush, Cursor& cursor);
  void DetectGzip(const Cursor& cursor);
  void SetDictionary();
  Failure Fail(const char* message) const {
    return {stream_.msg != nullptr ? stream_.msg : message, err_, CodeName(err_)};
  }
  void Load(const Cursor& cursor);
  void Store(Cursor& cursor) const;

  z_stream stream_ = {};
  Mode mode_;
  Mode declared_mode_;  // kUnzip becomes what the first bytes say
  int window_bits_, level_, memory_level_, strategy_;
  std::vector<uint8_t> dictionary_;
  int err_ = Z_OK;
  int magic_seen_ = 0;
  bool ready_ = false;
};

int ZlibCodec::FramedWindowBits() const {
  switch (declared_mode_) {
    case Mode::kGzip:
    case Mode::kGunzip:
      return window_bits_ + 16;
    case Mode::kUnzip:
      return window_bits_ + 32;
    case Mode::kDeflateRaw:
    case Mode::kInflateRaw:
      return -window_bits_;
    default:
      return window_bits_;
  }
}

std::optional<Failure> ZlibCodec::Init() {
  if (Deflates(mode_)) {
    err_ = deflateInit2(&stream_, level_, Z_DEFLATED, FramedWindowBits(), memory_level_, strategy_);
  } else {
    err_ = inflateInit2(&stream_, FramedWindowBits());
  }
  if (err_ != Z_OK) return Failure{"Initialization failed", 0, "ERR_ZLIB_INITIALIZATION_FAILED"};
  ready_ = true;
  SetDictionary();
  if (err_ != Z_OK) return Fail("Failed to set dictionary");
  return std::nullopt;
}

void ZlibCodec::SetDictionary() {
  err_ = Z_OK;
  if (dictionary_.empty()) return;
  auto size = static_cast<uInt>(dictionary_.size());
  if (mode_ == Mode::kDeflate || mode_ == Mode::kDeflateRaw) {
    err_ = deflateSetDictionary(&stream_, dictionary_.data(), size);
  } else if (mode_ == Mode::kInflateRaw) {
    // The others ask for it when they meet a header that names one.
    err_ = inflateSetDictionary(&stream_, dictionary_.data(), size);
  }
}

void ZlibCodec::Load(const Cursor& cursor) {
  constexpr size_t kMost = UINT32_MAX;
  stream_.next_in = const_cast<Bytef*>(cursor.in);
  stream_.avail_in = static_cast<uInt>(std::min(cursor.in_left, kMost));
  stream_.next_out = cursor.out;
  stream_.avail_out = static_cast<uInt>(std::min(cursor.out_left, kMost));
}

void ZlibCodec::Store(Cursor& cursor) const {
  cursor.in_left -= static_cast<size_t>(stream_.next_in - cursor.in);
  cursor.in = stream_.next_in;
  cursor.out_left -= static_cast<size_t>(stream_.next_out - cursor.out);
  cursor.out = stream_.next_out;
}

void ZlibCodec::Step(int flush, Cursor& cursor) {
  if (Deflates(mode_)) {
    Load(cursor);
    err_ = deflate(&stream_, flush);
    Store(cursor);
  } else {
    Inflate(flush, cursor);
  }
}

// kUnzip: gzip if the data begins with its two magic bytes, which may come one at a time.
void ZlibCodec::DetectGzip(const Cursor& cursor) {
  const uint8_t* next = cursor.in;
  size_t left = cursor.in_left;
  while (mode_ == Mode::kUnzip && left > 0) {
    if (*next != kGzipMagic[magic_seen_]) {
      mode_ = Mode::kInflate;
      return;
    }
    next++;
    left--;
    if (++magic_seen_ == 2) mode_ = Mode::kGunzip;
  }
}

void ZlibCodec::InflateOnce(int flush, Cursor& cursor) {
  Load(cursor);
  err_ = inflate(&stream_, flush);
  if (mode_ != Mode::kInflateRaw && err_ == Z_NEED_DICT && !dictionary_.empty()) {
    err_ = inflateSetDictionary(&stream_, dictionary_.data(), static_cast<uInt>(dictionary_.size()));
    if (err_ == Z_OK) {
      err_ = inflate(&stream_, flush);
    } else if (err_ == Z_DATA_ERROR) {
      // A dictionary that does not fit is told apart from broken data.
      err_ = Z_NEED_DICT;
    }
  }
  Store(cursor);
}

void ZlibCodec::Inflate(int flush, Cursor& cursor) {
  if (mode_ == Mode::kUnzip) DetectGzip(cursor);
  InflateOnce(flush, cursor);
  // RFC 1952: a gzip file is a series of members. A zero byte after one is padding, anything else the next.
  while (cursor.in_left > 0 && mode_ == Mode::kGunzip && err_ == Z_STREAM_END && *cursor.in != 0) {
    if (Reset().has_value()) return;
    mode_ = Mode::kGunzip;
    InflateOnce(flush, cursor);
  }
}

std::optional<Failure> ZlibCodec::Check(int flush, const Cursor& cursor) const {
  switch (err_) {
    case Z_OK:
    case Z_BUF_ERROR:
      if (cursor.out_left != 0 && flush == Z_FINISH) {
        return Failure{"unexpected end of file", Z_BUF_ERROR, CodeName(Z_BUF_ERROR)};
      }
      return std::nullopt;
    case Z_STREAM_END:
      return std::nullopt;
    case Z_NEED_DICT:
      return Fail(dictionary_.empty() ? "Missing dictionary" : "Bad dictionary");
    default:
      return Fail("Zlib error");
  }
}

std::optional<Failure> ZlibCodec::Reset() {
  mode_ = declared_mode_;
  magic_seen_ = 0;
  err_ = Deflates(mode_) ? deflateReset(&stream_) : inflateReset(&stream_);
  if (err_ != Z_OK) return Fail("Failed to reset stream");
  SetDictionary();
  if (err_ != Z_OK) return Fail("Failed to set dictionary");
  return std::nullopt;
}

std::optional<Failure> ZlibCodec::SetParams(int level, int strategy) {
  if (!Deflates(mode_)) return std::nullopt;
  stream_.next_in = nullptr;
  stream_.avail_in = 0;
  stream_.avail_out = 0;
  err_ = deflateParams(&stream_, level, strategy);
  if (err_ != Z_OK && err_ != Z_BUF_ERROR) return Fail("Failed to set parameters");
  return std::nullopt;
}

}  // namespace

std::unique_ptr<Codec> MakeZlibCodec(Mode mode, std::span<const double> params, std::vector<uint8_t> dictionary,
                                     Failure* failure) {
  auto param = [&](size_t index, int fallback) {
    return index < params.size() ? static_cast<int>(params[index]) : fallback;
  };
  auto codec =
      std::make_unique<ZlibCodec>(mode, param(0, 15), param(1, -1), param(2, 8), param(3, 0), std::move(dictionary));
  if (std::optional<Failure> error = codec->Init()) {
    *failure = std::move(*error);
    return nullptr;
  }
  return codec;
}

}  // namespace gyre::zlib

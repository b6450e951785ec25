// binding('zlib'): the class Codec for streams, `whole` for whole buffers, crc32.
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/clamp.h"
#include "bridge/module.h"
#include "modules/zlib/codec.h"
#include "modules/zlib/crc32.h"

namespace gyre::modules {

namespace {

using zlib::Codec;
using zlib::Cursor;
using zlib::Failure;
using zlib::Mode;

v8::Local<v8::Value> ToJs(Js& js, const Failure& failure) {
  v8::Local<v8::Object> object = js.Object();
  js.Set(object, "message", js.Str(failure.message));
  js.Set(object, "errno", js.Int(failure.err));
  js.Set(object, "code", js.Str(failure.code));
  return object;
}

// An initialisation that the library refuses throws at once: `code` is one of the list of errors.
void ThrowFailure(Js& js, const Failure& failure) {
  v8::Local<v8::Value> error = v8::Exception::Error(js.Str(failure.message));
  if (failure.err != 0) js.Set(error.As<v8::Object>(), "errno", js.Int(failure.err));
  js.Set(error.As<v8::Object>(), "code", js.Str(failure.code));
  js.isolate->ThrowException(error);
}

bool NumbersArg(Js& js, v8::Local<v8::Value> value, std::vector<double>* out) {
  if (!value->IsArray()) return true;
  v8::Local<v8::Array> array = value.As<v8::Array>();
  for (uint32_t i = 0; i < array->Length(); i++) {
    v8::Local<v8::Value> item;
    double number;
    if (!array->Get(js.context, i).ToLocal(&item) || !item->NumberValue(js.context).To(&number)) return false;
    out->push_back(number);
  }
  return true;
}

double NumberArg(const Info& info, int index) {
  return info[index]->IsNumber() ? info[index].As<v8::Number>()->Value() : 0;
}

// mode, params, dictionary: the first three arguments of both ways in.
std::unique_ptr<Codec> CodecFromArgs(Js& js, const Info& info, Failure* failure) {
  std::vector<double> params;
  if (!NumbersArg(js, info[1], &params)) return nullptr;
  std::vector<uint8_t> dictionary;
  if (std::optional<BufferView> bytes = BytesOf(info[2])) dictionary.assign(bytes->begin(), bytes->end());
  return MakeCodec(static_cast<Mode>(base::ClampTo<int>(NumberArg(info, 0))), params, std::move(dictionary), failure);
}

const char* JobKind(Mode mode) {
  switch (mode) {
    case Mode::kDeflate:
      return "deflate";
    case Mode::kInflate:
      return "inflate";
    case Mode::kGzip:
      return "gzip";
    case Mode::kGunzip:
      return "gunzip";
    case Mode::kDeflateRaw:
      return "deflateRaw";
    case Mode::kInflateRaw:
      return "inflateRaw";
    case Mode::kUnzip:
      return "unzip";
    case Mode::kBrotliDecode:
      return "brotliDecompress";
    case Mode::kBrotliEncode:
      return "brotliCompress";
    case Mode::kZstdCompress:
      return "zstdCompress";
    case Mode::kZstdDecompress:
      return "zstdDecompress";
    case Mode::kNone:
      break;
  }
  return "zlib";
}

// --- streams ---

// The codec of one stream. It may be closed while a step of it is on the lane; the step keeps it alive.
class CodecWrap : public Wrap {
 public:
  static const NativeClass kClass;

  static void New(const Info& info) {
    Js js(info);
    if (!info.IsConstructCall()) return js.ThrowTypeError("Codec needs new");
    Failure failure;
    std::unique_ptr<Codec> codec = CodecFromArgs(js, info, &failure);
    if (codec == nullptr) {
      if (!failure.code.empty()) ThrowFailure(js, failure);
      return;
    }
    new CodecWrap(js, info.This(), std::move(codec), static_cast<Mode>(base::ClampTo<int>(NumberArg(info, 0))));
  }

  // writeSync(flush, input, inputOffset, inputLength, output, outputOffset, outputLength, state)
  void WriteSync(Js& js, const Info& info) {
    std::optional<Step> step = StepFrom(js, info);
    if (!step) return;
    std::optional<Failure> failure = step->Run(*codec_);
    step->Publish();
    if (failure) info.GetReturnValue().Set(ToJs(js, *failure));
  }

  // write(..., callback): the callback gets a failure or nothing.
  void Write(Js& js, const Info& info) {
    std::optional<Step> step = StepFrom(js, info);
    if (!step) return;
    std::unique_ptr<PendingCall> call = PendingCall::From(js, info[8]);
    if (call == nullptr) return;
    busy_ = true;
    Pin();
    auto shared = std::make_shared<Step>(std::move(*step));
    bridge::RunOnLane(
        js, loop::Lane::kZlib, JobKind(mode_), std::move(call),
        [shared, codec = codec_] { return shared->Run(*codec); },
        [this, shared](Js& js, PendingCall& call, std::optional<Failure> failure) {
          busy_ = false;
          shared->Publish();
          Unpin();
          v8::Local<v8::Value> argument = js.Undefined();
          if (failure) argument = ToJs(js, *failure);
          call.Finish(js, 1, &argument);
        });
  }

  void Params(Js& js, const Info& info) {
    if (codec_ == nullptr || busy_) return js.ThrowError("The codec is closed or busy");
    std::optional<Failure> failure =
        codec_->SetParams(base::ClampTo<int>(NumberArg(info, 0)), base::ClampTo<int>(NumberArg(info, 1)));
    if (failure) info.GetReturnValue().Set(ToJs(js, *failure));
  }

  void Reset(Js& js, const Info& info) {
    if (codec_ == nullptr || busy_) return js.ThrowError("The codec is closed or busy");
    if (std::optional<Failure> failure = codec_->Reset()) ThrowFailure(js, *failure);
  }

  void Close(Js&, const Info&) { codec_ = nullptr; }

 private:
  // One step's input, output and where its two counts go.
  struct Step {
    int flush = 0;
    PinnedBuffer input, output, state;
    Cursor cursor;

    std::optional<Failure> Run(Codec& codec) {
      codec.Step(flush, cursor);
      return codec.Check(flush, cursor);
    }
    void Publish() {
      if (state.size() < 2 * sizeof(uint32_t)) return;
      uint32_t counts[] = {static_cast<uint32_t>(cursor.out_left), static_cast<uint32_t>(cursor.in_left)};
      std::memcpy(state.data(), counts, sizeof counts);
      state.Publish();
      output.Publish();
    }
  };

  CodecWrap(Js& js, v8::Local<v8::Object> object, std::unique_ptr<Codec> codec, Mode mode)
      : Wrap(js.realm, object, &kClass), codec_(std::move(codec)), mode_(mode) {}

  std::optional<Step> StepFrom(Js& js, const Info& info) {
    if (codec_ == nullptr || busy_) {
      js.ThrowError("The codec is closed or busy");
      return std::nullopt;
    }
    Step step;
    step.flush = base::ClampTo<int>(NumberArg(info, 0));
    double in_at = NumberArg(info, 2), in_size = NumberArg(info, 3);
    double out_at = NumberArg(info, 5), out_size = NumberArg(info, 6);
    if (std::optional<PinnedBuffer> input = PinnedBuffer::From(info[1])) step.input = std::move(*input);
    std::optional<PinnedBuffer> output = PinnedBuffer::From(info[4]);
    std::optional<PinnedBuffer> state = PinnedBuffer::From(info[7]);
    if (!output || !state || !(in_at >= 0 && in_size >= 0 && out_at >= 0 && out_size >= 0) ||
        in_at + in_size > static_cast<double>(step.input.size()) ||
        out_at + out_size > static_cast<double>(output->size())) {
      js.ThrowRangeError("The range lies outside of the buffer");
      return std::nullopt;
    }
    step.output = std::move(*output);
    step.state = std::move(*state);
    step.cursor = {step.input.data() + static_cast<size_t>(in_at), static_cast<size_t>(in_size),
                   step.output.data() + static_cast<size_t>(out_at), static_cast<size_t>(out_size)};
    return step;
  }

  std::shared_ptr<Codec> codec_;
  Mode mode_;
  bool busy_ = false;
};

constexpr NativeFunction kCodecMethods[] = {
    RawMethod<&CodecWrap::WriteSync>("writeSync"), RawMethod<&CodecWrap::Write>("write"),
    RawMethod<&CodecWrap::Params>("params"),       RawMethod<&CodecWrap::Reset>("reset"),
    RawMethod<&CodecWrap::Close>("close"),
};
const NativeClass CodecWrap::kClass = {.name = "Codec", .construct = &CodecWrap::New, .methods = kCodecMethods};

// --- whole buffers ---

struct LastConsumed {
  explicit LastConsumed(Realm&) {}
  double bytes = 0;
};

struct WholeResult {
  std::optional<Failure> failure;
  base::Bytes output;
  size_t consumed = 0;
};

struct WholeJob {
  std::unique_ptr<Codec> codec;
  PinnedBuffer input;
  int flush = 0;
  size_t chunk = 16384;
  double limit = 0;  // of the output
  bool refuse_garbage = false;

  WholeResult Run();

 private:
  bool Grow(base::Bytes* output, size_t used) const;
};

// More room: at least a chunk, at most half as much again, never more than one byte beyond the limit.
bool WholeJob::Grow(base::Bytes* output, size_t used) const {
  size_t wanted = used + std::max(chunk, used / 2);
  if (static_cast<double>(wanted) > limit + 1) wanted = static_cast<size_t>(limit) + 1;
  return wanted > used && output->Resize(wanted);
}

WholeResult WholeJob::Run() {
  WholeResult result;
  Cursor cursor = {.in = input.data(), .in_left = input.size()};
  size_t used = 0;
  do {
    if (used == result.output.size() && !Grow(&result.output, used)) {
      result.failure = Failure{"Out of memory", Z_MEM_ERROR, "Z_MEM_ERROR"};
      return result;
    }
    cursor.out = result.output.data() + used;
    cursor.out_left = result.output.size() - used;
    codec->Step(flush, cursor);
    result.failure = codec->Check(flush, cursor);
    if (result.failure) return result;
    used = result.output.size() - cursor.out_left;
    if (static_cast<double>(used) > limit) {
      result.failure = Failure{"", 0, "ERR_BUFFER_TOO_LARGE"};
      return result;
    }
  } while (cursor.out_left == 0);
  result.consumed = input.size() - cursor.in_left;
  if (refuse_garbage && cursor.in_left > 0) {
    result.failure = Failure{"", 0, "ERR_TRAILING_JUNK_AFTER_STREAM_END"};
    return result;
  }
  if (!result.output.Resize(used)) result.output = base::Bytes();
  return result;
}

v8::Local<v8::Value> ToJs(Js& js, base::Bytes bytes) {
  size_t size = bytes.size();
  if (size == 0) return v8::ArrayBuffer::New(js.isolate, 0);
  return v8::ArrayBuffer::New(js.isolate,
                              v8::ArrayBuffer::NewBackingStore(
                                  bytes.Release(), size, [](void* data, size_t, void*) { std::free(data); }, nullptr));
}

// whole(mode, params, dictionary, flush, chunkSize, maxOutputLength, refuseGarbage, input, how)
// Synchronously: an ArrayBuffer or a failure. Else the callback gets (failure, ArrayBuffer).
void Whole(const Info& info) {
  Js js(info);
  Failure refused;
  WholeJob job = {.codec = CodecFromArgs(js, info, &refused)};
  if (job.codec == nullptr) {
    if (!refused.code.empty()) ThrowFailure(js, refused);
    return;
  }
  job.flush = base::ClampTo<int>(NumberArg(info, 3));
  job.chunk = std::max<size_t>(64, base::ClampTo<size_t>(NumberArg(info, 4)));
  job.limit = NumberArg(info, 5);
  job.refuse_garbage = info[6]->IsTrue();
  std::optional<PinnedBuffer> input = PinnedBuffer::From(info[7]);
  if (!input) return engine::ThrowBadArgument(js, 7, "a buffer");
  job.input = std::move(*input);

  std::unique_ptr<PendingCall> call = PendingCall::From(js, info[8]);
  if (call == nullptr) {
    WholeResult result = job.Run();
    js.realm.Slot<LastConsumed>().bytes = static_cast<double>(result.consumed);
    info.GetReturnValue().Set(result.failure ? ToJs(js, *result.failure) : ToJs(js, std::move(result.output)));
    return;
  }
  const char* kind = JobKind(static_cast<Mode>(base::ClampTo<int>(NumberArg(info, 0))));
  bridge::RunOnLane(
      js, loop::Lane::kZlib, kind, std::move(call), [job = std::move(job)]() mutable { return job.Run(); },
      [](Js& js, PendingCall& call, WholeResult result) {
        js.realm.Slot<LastConsumed>().bytes = static_cast<double>(result.consumed);
        v8::Local<v8::Value> argv[2] = {js.Undefined(), js.Undefined()};
        if (result.failure) {
          argv[0] = ToJs(js, *result.failure);
        } else {
          argv[1] = ToJs(js, std::move(result.output));
        }
        call.Finish(js, 2, argv);
      });
}

// How much of its input the last whole buffer took: the bytesWritten of `info`.
void LastConsumedBytes(const Info& info) {
  Js js(info);
  info.GetReturnValue().Set(js.realm.Slot<LastConsumed>().bytes);
}

// crc32(data, value)
void Crc32(const Info& info) {
  Js js(info);
  auto value = static_cast<uint32_t>(NumberArg(info, 1));
  if (info[0]->IsString()) {
    std::string text = js.Utf8(info[0]);
    value = zlib::Crc32(value, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  } else if (std::optional<BufferView> bytes = BytesOf(info[0])) {
    value = zlib::Crc32(value, {bytes->data(), bytes->size()});
  }
  info.GetReturnValue().Set(value);
}

void Init(Js& js, v8::Local<v8::Object> target) { js.Set(target, "zlibVersionNumber", js.Int(ZLIB_VERNUM)); }

constexpr NativeFunction kFunctions[] = {
    RawFn("whole", &Whole, 9),
    RawFn("lastConsumed", &LastConsumedBytes),
    RawFn("crc32", &Crc32, 2),
};
const NativeClass* const kClasses[] = {&CodecWrap::kClass};

}  // namespace

extern const NativeModule kZlibModule;
const NativeModule kZlibModule = {.name = "zlib", .functions = kFunctions, .classes = kClasses, .init = &Init};

}  // namespace gyre::modules

// HTTP/1 messages: bytes in, events out. Strict by RFC 9112; it knows no sockets and no JavaScript.
//
// Pull-style, so that whoever drives it may stop, destroy it or feed something else between two events: `Next` takes
// bytes off the front of `*input` and returns one event. The views in `head()`, `body()` and `trailers()` hold until the
// next call and point into the input whenever the head came in one piece; a head that is cut is gathered in a buffer
// that is kept between messages, so a connection in its stride allocates nothing.
//
// Thread: any, one at a time. Owner: the connection. Invariants: memory is bounded by Limits whatever comes in; after
// kError the parser stays failed until Reset; every byte is looked at a bounded number of times.
#ifndef GYRE_CODEC_HTTP1_H_
#define GYRE_CODEC_HTTP1_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::codec::http1 {

enum class Kind : uint8_t { kRequest, kResponse };

/// In the order in which programs know them: the index is the method's number for the HTTPParser binding.
enum class Method : uint8_t {
  kDelete, kGet, kHead, kPost, kPut, kConnect, kOptions, kTrace, kCopy, kLock, kMkcol, kMove, kPropfind, kProppatch,
  kSearch, kUnlock, kBind, kRebind, kUnbind, kAcl, kReport, kMkactivity, kCheckout, kMerge, kMSearch, kNotify,
  kSubscribe, kUnsubscribe, kPatch, kPurge, kMkcalendar, kLink, kUnlink, kSource, kQuery, kCount,
};
std::string_view MethodName(Method method);
std::optional<Method> FindMethod(std::string_view name);

/// The standard phrase of a status, empty if there is none.
std::string_view StatusPhrase(int status);

enum class ErrorCode : uint8_t {
  kOk, kInternal, kStrict, kCrExpected, kLfExpected, kUnexpectedContentLength, kClosedConnection, kInvalidMethod,
  kInvalidUrl, kInvalidConstant, kInvalidVersion, kInvalidHeaderToken, kInvalidContentLength, kInvalidChunkSize,
  kInvalidStatus, kInvalidEofState, kInvalidTransferEncoding, kPausedH2Upgrade, kHeaderOverflow,
  kChunkExtensionsOverflow,
};
/// "HPE_INVALID_METHOD" and so on: what JavaScript reads as `error.code`.
const char* ErrorName(ErrorCode code);

/// What `insecureHTTPParser` and the HTTPParser's flags let pass; 0 is strict.
enum Lenient : uint32_t {
  kLenientHeaders = 1,  // control characters in header values
  kLenientChunkedLength = 2,
  kLenientKeepAlive = 4,
  kLenientTransferEncoding = 8,
  kLenientVersion = 16,
  kLenientDataAfterClose = 32,
  kLenientOptionalLfAfterCr = 64,
  kLenientOptionalCrlfAfterChunk = 128,
  kLenientOptionalCrBeforeLf = 256,
  kLenientSpacesAfterChunkSize = 512,
  kLenientAll = 1023,
};

struct Limits {
  /// Of the target, header names and values together; also of one trailer section. More than kMost is kMost.
  uint32_t header_bytes = 16 * 1024;
  static constexpr uint32_t kMost = 1 << 30;  // offsets into a head have 32 bits
  /// Of the extensions of one chunk; those of a message may take four times as much.
  uint32_t chunk_extension_bytes = 16 * 1024;
};

/// Offsets from the beginning of the block that it belongs to.
struct Field {
  uint32_t name, name_size, value, value_size;
};

/// A header or trailer section.
struct FieldBlock {
  std::string_view bytes;  // field lines with their CRLFs, without the empty line
  std::span<const Field> fields;
  std::string_view name(const Field& field) const { return bytes.substr(field.name, field.name_size); }
  std::string_view value(const Field& field) const { return bytes.substr(field.value, field.value_size); }
  /// The value of the first field called `lower_case_name`.
  std::optional<std::string_view> Find(std::string_view lower_case_name) const;
};

struct Head {
  Method method = Method::kGet;  // of a request
  std::string_view target;       // of a request
  uint16_t status = 0;           // of a response
  std::string_view reason;       // of a response
  uint8_t major = 1, minor = 1;
  FieldBlock headers;
  bool keep_alive = true;
  bool chunked = false;
  bool upgrade = false;  // asks for an upgrade (or CONNECT); accepted by BodyRule::kUpgrade
  bool has_host = false;
  bool has_expect = false;
  bool has_connection = false;
  std::optional<uint64_t> content_length;
};

enum class Event : uint8_t {
  kNeedMore,  // all of the input is consumed
  kHead,      // head() is valid; SetBodyRule may follow
  kBody,      // body() holds a piece
  kComplete,  // the message ended; trailers() is valid
  kUpgraded,  // what is left of the input belongs to another protocol
  kError,     // error() and reason() say why; the input begins at the byte that offended
};

enum class BodyRule : uint8_t { kFramed, kNone, kUpgrade };

class Parser {
 public:
  explicit Parser(Kind kind, Limits limits = {}, uint32_t lenient = 0) { Reset(kind, limits, lenient); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  /// Ready for a new connection; buffers are kept.
  void Reset(Kind kind, Limits limits = {}, uint32_t lenient = 0);

  Event Next(std::string_view* input);

  /// The peer sends no more. kComplete if that ends a body, kNeedMore between messages, kError amid one.
  Event Finish();

  /// Overrules the framing of the message whose kHead was just seen: no body (an answer to HEAD), or another protocol
  /// (an accepted upgrade, an answer to CONNECT).
  void SetBodyRule(BodyRule rule);

  const Head& head() const { return head_; }
  std::string_view body() const { return body_; }
  const FieldBlock& trailers() const { return trailers_; }
  ErrorCode error() const { return error_; }
  const char* reason() const { return reason_; }

  /// Some bytes of a message have been seen and its end has not.
  bool in_message() const { return state_ != State::kStart && state_ <= State::kBodyEof; }
  /// Bytes of a head have been seen and its end has not.
  bool in_head() const { return state_ > State::kStart && state_ <= State::kHeadEndLf && !in_trailers_; }
  bool failed() const { return state_ == State::kFailed; }
  /// The buffers' share of memory, for accounting.
  size_t memory() const { return stash_.capacity() + fields_.capacity() * sizeof(Field); }

 private:
  enum class State : uint8_t {
    kStart,  // before a message; empty lines are skipped
    kStartLf,
    // the head: see http1_head.cc
    kMethod, kTargetStart, kTarget, kVersion, kVersionEnd, kVersionLf,
    kStatusCode, kStatusSpace, kReason, kReasonLf,
    kFieldStart, kName, kValueStart, kValue, kValueLf, kHeadEndLf,
    // the body: see http1_body.cc
    kBodyStart, kChunkSizeFirst, kChunkSize, kChunkSizeSpace, kChunkExtName, kChunkExtValue, kChunkExtQuoted,
    kChunkExtQuotedPair, kChunkExtQuotedEnd, kChunkSizeLf, kChunkData, kChunkDataCr, kChunkDataLf, kBodyLength,
    kMessageDone, kBodyEof,
    // between or after messages
    kClosed, kUpgraded, kFailed,
  };
  enum class Step : uint8_t { kNext, kMore, kDone, kFail };
  enum class Length : uint8_t { kNone, kLength, kTransferEncoding };

  // http1_head.cc
  Event NextHead(std::string_view* input);
  Event SectionDone(const char* base);
  Event HeadDone(const char* base);

  Step ScanHead(const char* base, uint32_t size);
  Step ScanStart(const char* base, uint32_t size);
  Step ScanMethod(const char* base, uint32_t size);
  Step MethodDone(std::string_view name);
  Step UnknownMethod(std::string_view name);
  Step ScanTarget(const char* base, uint32_t size);
  Step TargetDone(std::string_view target);
  Step ScanVersion(const char* base, uint32_t size);
  Step ScanVersionEnd(const char* base, uint32_t size);
  Step VersionDone(std::string_view text);
  Step ScanStatusCode(const char* base, uint32_t size);
  Step ScanStatusSpace(const char* base, uint32_t size);
  Step ScanReason(const char* base, uint32_t size);
  Step ScanFieldStart(const char* base, uint32_t size);
  Step ScanName(const char* base, uint32_t size);
  Step ScanValueStart(const char* base, uint32_t size);
  Step ScanValue(const char* base, uint32_t size);
  Step ScanValueLf(const char* base, uint32_t size);
  Step ScanHeadEnd(const char* base, uint32_t size);
  Step ValueDone(const char* base, uint32_t end);
  Step FieldMatters(std::string_view name, std::string_view value, bool has_tab);
  Step TrailerMatters(std::string_view name, std::string_view value);
  Step OnContentLength(std::string_view value, bool has_tab);
  Step OnTransferEncoding(std::string_view value, bool has_tab);
  void OnConnection(std::string_view value);
  bool Counts(uint32_t bytes);
  bool MayFold(const char* base) const;
  // http1_body.cc
  Event NextBody(std::string_view* input);
  Event NextChunkByte(std::string_view* input);
  Event OnChunkSizeEnd();
  Event ChunkExtension(char c);
  Event TakeBody(std::string_view* input);
  Event MessageDone();
  void BeginMessage();
  /// Whether the connection may carry another message, by version and Connection field.
  bool Persists() const;
  State AfterHead() const;
  bool Has(Lenient flag) const { return (lenient_ & flag) != 0; }

  Step Fail(ErrorCode code, const char* reason) {
    error_ = code;
    reason_ = reason;
    return Step::kFail;
  }
  Event Failed(ErrorCode code, const char* reason) {
    Fail(code, reason);
    state_ = State::kFailed;
    return Event::kError;
  }

  Kind kind_;
  State state_;
  ErrorCode error_;
  Length length_kind_;
  BodyRule rule_;
  bool in_trailers_;
  bool saw_chunked_;
  bool connection_close_, connection_keep_alive_, connection_upgrade_, upgrade_header_;
  uint32_t lenient_;
  Limits limits_;
  const char* reason_;
  // The head that is being gathered, as offsets from where it begins.
  uint32_t pos_, mark_, counted_, block_begin_, value_end_, target_begin_, target_size_, reason_begin_, reason_size_;
  Field field_;
  std::vector<Field> fields_;
  std::string stash_;
  // The body.
  uint64_t remaining_;
  uint32_t extension_bytes_, message_extension_bytes_;
  std::string_view body_;
  Head head_;
  FieldBlock trailers_;
};

}  // namespace gyre::codec::http1

#endif  // GYRE_CODEC_HTTP1_H_

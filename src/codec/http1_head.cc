// The head of a message, and trailer sections: one scanner that can stop at any byte and go on when more has come.
#include <algorithm>
#include <array>
#include <cstring>

#include "codec/http1.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gyre::codec::http1 {

namespace {

// RFC 9110 5.6.2.
constexpr std::array<bool, 256> MakeTokenTable() {
  std::array<bool, 256> table{};
  for (char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    table[static_cast<uint8_t>(c)] = true;
  }
  return table;
}
constexpr std::array<bool, 256> kToken = MakeTokenTable();

bool IsToken(char c) { return kToken[static_cast<uint8_t>(c)]; }
bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool Equals(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); i++) {
    if (Lower(text[i]) != lower[i]) return false;
  }
  return true;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// The first byte from `pos` that cannot stand in a field value: a control character other than HTAB, or DEL.
uint32_t ValueEnd(const char* base, uint32_t pos, uint32_t size) {
#if defined(__SSE2__)
  const __m128i kSpace = _mm_set1_epi8(0x1f), kTab = _mm_set1_epi8('\t'), kDel = _mm_set1_epi8(0x7f);
  for (; pos + 16 <= size; pos += 16) {
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(base + pos));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, kSpace), bytes);
    __m128i bad = _mm_or_si128(_mm_andnot_si128(_mm_cmpeq_epi8(bytes, kTab), control), _mm_cmpeq_epi8(bytes, kDel));
    int mask = _mm_movemask_epi8(bad);
    if (mask != 0) return pos + static_cast<uint32_t>(__builtin_ctz(static_cast<unsigned>(mask)));
  }
#endif
  for (; pos < size; pos++) {
    uint8_t c = static_cast<uint8_t>(base[pos]);
    if ((c < 0x20 && c != '\t') || c == 0x7f) break;
  }
  return pos;
}

/// The first byte from `pos` that cannot stand in a request target: everything but visible ASCII.
uint32_t TargetEnd(const char* base, uint32_t pos, uint32_t size) {
  for (; pos < size; pos++) {
    uint8_t c = static_cast<uint8_t>(base[pos]);
    if (c <= 0x20 || c >= 0x7f) break;
  }
  return pos;
}

bool IsAuthority(std::string_view text) {
  for (char c : text) {
    if (!IsAlpha(c) && !IsDigit(c) && std::strchr("-._~!$&'()*+,;=:[]%@", c) == nullptr) return false;
  }
  return true;
}

bool AnyMethodBegins(std::string_view prefix) {
  for (uint8_t i = 0; i < static_cast<uint8_t>(Method::kCount); i++) {
    if (MethodName(static_cast<Method>(i)).starts_with(prefix)) return true;
  }
  return std::string_view("PRI").starts_with(prefix);
}

}  // namespace

void Parser::Reset(Kind kind, Limits limits, uint32_t lenient) {
  kind_ = kind;
  limits_ = limits;
  limits_.header_bytes = std::min(limits.header_bytes, Limits::kMost);
  lenient_ = lenient;
  state_ = State::kStart;
  error_ = ErrorCode::kOk;
  reason_ = "";
  in_trailers_ = false;
  stash_.clear();
  pos_ = mark_ = 0;
  remaining_ = 0;
  extension_bytes_ = message_extension_bytes_ = 0;
  body_ = {};
  head_ = {};
  trailers_ = {};
  BeginMessage();
}

void Parser::BeginMessage() {
  length_kind_ = Length::kNone;
  rule_ = BodyRule::kFramed;
  saw_chunked_ = connection_close_ = connection_keep_alive_ = connection_upgrade_ = upgrade_header_ = false;
  counted_ = block_begin_ = value_end_ = target_begin_ = target_size_ = reason_begin_ = reason_size_ = 0;
  extension_bytes_ = message_extension_bytes_ = 0;
  field_ = {};
  fields_.clear();
  head_ = {};
  trailers_ = {};
}

// Takes what belongs to the head (or to a trailer section) off the input. When all of it lies in the input it is read
// in place; else it is gathered in `stash_`, in steps, so that a long body behind it is not copied.
Event Parser::NextHead(std::string_view* input) {
  constexpr size_t kStepBytes = 4096;
  if (stash_.empty()) {
    size_t size = std::min<size_t>(input->size(), UINT32_MAX / 2);
    Step step = ScanHead(input->data(), static_cast<uint32_t>(size));
    if (step == Step::kMore) {
      if (state_ > State::kStartLf) {
        stash_.assign(input->data(), size);
      } else {
        pos_ = 0;  // nothing but empty lines
      }
      input->remove_prefix(size);
      return Event::kNeedMore;
    }
    const char* base = input->data();
    input->remove_prefix(pos_);
    if (step == Step::kDone) return SectionDone(base);
    state_ = State::kFailed;
    return Event::kError;
  }
  while (!input->empty()) {
    size_t before = stash_.size();
    size_t taken = std::min(input->size(), kStepBytes);
    stash_.append(input->data(), taken);
    Step step = ScanHead(stash_.data(), static_cast<uint32_t>(stash_.size()));
    if (step != Step::kMore) taken = pos_ > before ? pos_ - before : 0;
    input->remove_prefix(taken);
    if (step == Step::kDone) return SectionDone(stash_.data());
    if (step == Step::kFail) {
      state_ = State::kFailed;
      return Event::kError;
    }
  }
  return Event::kNeedMore;
}

Parser::Step Parser::ScanHead(const char* base, uint32_t size) {
  for (;;) {
    Step step = Step::kFail;
    switch (state_) {
      case State::kStart:
      case State::kStartLf: step = ScanStart(base, size); break;
      case State::kMethod: step = ScanMethod(base, size); break;
      case State::kTargetStart:
      case State::kTarget: step = ScanTarget(base, size); break;
      case State::kVersion: step = ScanVersion(base, size); break;
      case State::kVersionEnd:
      case State::kVersionLf: step = ScanVersionEnd(base, size); break;
      case State::kStatusCode: step = ScanStatusCode(base, size); break;
      case State::kStatusSpace: step = ScanStatusSpace(base, size); break;
      case State::kReason:
      case State::kReasonLf: step = ScanReason(base, size); break;
      case State::kFieldStart: step = ScanFieldStart(base, size); break;
      case State::kName: step = ScanName(base, size); break;
      case State::kValueStart: step = ScanValueStart(base, size); break;
      case State::kValue: step = ScanValue(base, size); break;
      case State::kValueLf: step = ScanValueLf(base, size); break;
      case State::kHeadEndLf: step = ScanHeadEnd(base, size); break;
      default: return Fail(ErrorCode::kInternal, "Unexpected parser state");
    }
    if (step != Step::kNext) return step;
  }
}

// RFC 9112 2.2: a server should ignore at least one empty line before the request line.
Parser::Step Parser::ScanStart(const char* base, uint32_t size) {
  for (; pos_ < size; pos_++) {
    char c = base[pos_];
    if (state_ == State::kStartLf) {
      if (c != '\n') return Fail(ErrorCode::kLfExpected, "Expected LF after CR");
      state_ = State::kStart;
    } else if (c == '\r') {
      state_ = State::kStartLf;
    } else if (c != '\n' || !Has(kLenientOptionalCrBeforeLf)) {
      BeginMessage();
      mark_ = pos_;
      state_ = kind_ == Kind::kRequest ? State::kMethod : State::kVersion;
      return Step::kNext;
    }
  }
  return Step::kMore;
}

Parser::Step Parser::ScanMethod(const char* base, uint32_t size) {
  constexpr uint32_t kLongest = 11;
  while (pos_ < size && ((base[pos_] >= 'A' && base[pos_] <= 'Z') || base[pos_] == '-')) pos_++;
  std::string_view name(base + mark_, pos_ - mark_);
  if (pos_ == size) {
    if (name.size() > kLongest || !AnyMethodBegins(name)) return UnknownMethod(name);
    return Step::kMore;
  }
  if (base[pos_] != ' ') {
    if (!FindMethod(name)) return UnknownMethod(name);
    return Fail(ErrorCode::kInvalidMethod, "Expected space after method");
  }
  return MethodDone(name);
}

/// The offending byte is the first that no method has there.
Parser::Step Parser::UnknownMethod(std::string_view name) {
  uint32_t known = 0;
  constexpr std::string_view kOther = "FLUSH";  // a method of RTSP, known to others
  auto begins = [&](std::string_view prefix) { return AnyMethodBegins(prefix) || kOther.starts_with(prefix); };
  while (known < name.size() && begins(name.substr(0, known + 1))) known++;
  pos_ = mark_ + known;
  return Fail(ErrorCode::kInvalidMethod, "Invalid method encountered");
}

Parser::Step Parser::MethodDone(std::string_view name) {
  std::optional<Method> method = FindMethod(name);
  if (!method) {
    if (name == "PRI") return Fail(ErrorCode::kPausedH2Upgrade, "Pause on PRI/Upgrade");
    return UnknownMethod(name);
  }
  head_.method = *method;
  pos_++;
  state_ = State::kTargetStart;
  return Step::kNext;
}

Parser::Step Parser::ScanTarget(const char* base, uint32_t size) {
  if (pos_ == size) return Step::kMore;
  if (state_ == State::kTargetStart) {
    char c = base[pos_];
    bool connect_form = head_.method == Method::kConnect && (IsDigit(c) || c == '[');
    if (c != '/' && c != '*' && !IsAlpha(c) && !connect_form) {
      return Fail(ErrorCode::kInvalidUrl, "Unexpected start char in url");
    }
    mark_ = pos_;
    state_ = State::kTarget;
  }
  pos_ = TargetEnd(base, pos_, size);
  if (pos_ - mark_ >= limits_.header_bytes) return Fail(ErrorCode::kHeaderOverflow, "Header overflow");
  if (pos_ == size) return Step::kMore;
  // RFC 9112 3: a request line without a version is HTTP/0.9, which is not served.
  if (base[pos_] == '\r' || base[pos_] == '\n') {
    return Fail(ErrorCode::kInvalidConstant, "Expected HTTP/, RTSP/ or ICE/");
  }
  if (base[pos_] != ' ') return Fail(ErrorCode::kInvalidUrl, "Invalid char in url path");
  return TargetDone(std::string_view(base + mark_, pos_ - mark_));
}

// RFC 9112 3.2: origin-form, absolute-form, authority-form (CONNECT) or asterisk-form.
Parser::Step Parser::TargetDone(std::string_view target) {
  char first = target.front();
  if (first == '*' && target.size() > 1) return Fail(ErrorCode::kInvalidUrl, "Invalid characters in url");
  if (first != '/' && first != '*') {
    std::string_view authority = target;
    if (head_.method != Method::kConnect) {
      size_t scheme = 0;
      while (scheme < target.size() && IsAlpha(target[scheme])) scheme++;
      if (target.substr(scheme, 1) != ":") return Fail(ErrorCode::kInvalidUrl, "Invalid characters in url");
      if (target.substr(scheme, 3) != "://") return Fail(ErrorCode::kInvalidUrl, "Unexpected char in url schema");
      authority = target.substr(scheme + 3);
      authority = authority.substr(0, authority.find_first_of("/?"));
    }
    if (authority.empty() || !IsAuthority(authority) || authority.find('@') != authority.rfind('@')) {
      return Fail(ErrorCode::kInvalidUrl, "Invalid characters in url");
    }
  }
  target_begin_ = mark_;
  target_size_ = static_cast<uint32_t>(target.size());
  counted_ = target_size_;
  pos_++;
  mark_ = pos_;
  state_ = State::kVersion;
  return Step::kNext;
}

Parser::Step Parser::ScanVersion(const char* base, uint32_t size) {
  constexpr std::string_view kName = "HTTP/";
  for (; pos_ < size; pos_++) {
    uint32_t index = pos_ - mark_;
    if (index < kName.size()) {
      if (base[pos_] != kName[index]) return Fail(ErrorCode::kInvalidConstant, "Expected HTTP/, RTSP/ or ICE/");
    } else if (index == 8) {
      return VersionDone(std::string_view(base + mark_, 8));
    } else if (index == 6 ? base[pos_] != '.' : !IsDigit(base[pos_])) {
      static constexpr const char* kReasons[] = {"Invalid major version", "Expected dot", "Invalid minor version"};
      return Fail(ErrorCode::kInvalidVersion, kReasons[index - 5]);
    }
  }
  return Step::kMore;
}

Parser::Step Parser::VersionDone(std::string_view text) {
  head_.major = static_cast<uint8_t>(text[5] - '0');
  head_.minor = static_cast<uint8_t>(text[7] - '0');
  bool known = head_.major == 1 && head_.minor <= 1;
  // A client takes what other clients take; a server need not.
  if (kind_ == Kind::kResponse) known |= text == "HTTP/0.9" || text == "HTTP/2.0";
  if (!known && !Has(kLenientVersion)) {
    return Fail(ErrorCode::kInvalidVersion, "Invalid HTTP version");
  }
  state_ = kind_ == Kind::kRequest ? State::kVersionEnd : State::kStatusCode;
  mark_ = pos_;
  return Step::kNext;
}

Parser::Step Parser::ScanVersionEnd(const char* base, uint32_t size) {
  if (state_ == State::kVersionEnd) {
    if (pos_ == size) return Step::kMore;
    if (base[pos_] == '\r') {
      pos_++;
    } else if (base[pos_] != '\n' || !Has(kLenientOptionalCrBeforeLf)) {
      return Fail(ErrorCode::kInvalidVersion, "Expected CRLF after version");
    }
    state_ = State::kVersionLf;
  }
  if (pos_ == size) return Step::kMore;
  if (base[pos_] == '\n') {
    pos_++;
  } else if (!Has(kLenientOptionalLfAfterCr)) {
    return Fail(ErrorCode::kStrict, "Expected CRLF after version");
  }
  block_begin_ = pos_;
  state_ = State::kFieldStart;
  return Step::kNext;
}

// status-line = HTTP-version SP status-code SP [ reason-phrase ]; the second space may be missing (seen in the wild).
Parser::Step Parser::ScanStatusCode(const char* base, uint32_t size) {
  for (; pos_ < size; pos_++) {
    uint32_t index = pos_ - mark_;
    if (index == 0) {
      if (base[pos_] != ' ') return Fail(ErrorCode::kInvalidVersion, "Expected space after version");
    } else if (!IsDigit(base[pos_])) {
      return Fail(ErrorCode::kInvalidStatus, "Invalid status code");
    } else {
      head_.status = static_cast<uint16_t>(head_.status * 10 + (base[pos_] - '0'));
      if (index == 3) break;
    }
  }
  if (pos_ == size) return Step::kMore;
  if (head_.status < 100) return Fail(ErrorCode::kInvalidStatus, "Invalid status code");
  pos_++;
  state_ = State::kStatusSpace;
  return Step::kNext;
}

Parser::Step Parser::ScanStatusSpace(const char* base, uint32_t size) {
  if (pos_ == size) return Step::kMore;
  if (base[pos_] == ' ') {
    pos_++;
  } else if (base[pos_] != '\r' && base[pos_] != '\n') {
    return Fail(ErrorCode::kInvalidStatus, "Invalid response status");
  }
  mark_ = pos_;
  state_ = State::kReason;
  return Step::kNext;
}

Parser::Step Parser::ScanReason(const char* base, uint32_t size) {
  if (state_ == State::kReason) {
    pos_ = ValueEnd(base, pos_, size);
    if (pos_ - mark_ >= limits_.header_bytes) return Fail(ErrorCode::kHeaderOverflow, "Header overflow");
    if (pos_ == size) return Step::kMore;
    reason_begin_ = mark_;
    reason_size_ = pos_ - mark_;
    if (base[pos_] == '\r') {
      pos_++;
    } else if (base[pos_] != '\n') {
      return Fail(ErrorCode::kStrict, "Invalid character in reason phrase");
    } else if (!Has(kLenientOptionalCrBeforeLf)) {
      return Fail(ErrorCode::kCrExpected, "Missing expected CR after response line");
    }
    state_ = State::kReasonLf;
  }
  if (pos_ == size) return Step::kMore;
  if (base[pos_] == '\n') {
    pos_++;
  } else if (!Has(kLenientOptionalLfAfterCr)) {
    return Fail(ErrorCode::kStrict, "Expected LF after CR");
  }
  block_begin_ = pos_;
  state_ = State::kFieldStart;
  return Step::kNext;
}

Parser::Step Parser::ScanFieldStart(const char* base, uint32_t size) {
  if (pos_ == size) return Step::kMore;
  char c = base[pos_];
  mark_ = pos_;
  if (IsToken(c)) {
    state_ = State::kName;
    return Step::kNext;
  }
  if (c == '\r' || (c == '\n' && Has(kLenientOptionalCrBeforeLf))) {
    if (c == '\r') pos_++;
    state_ = State::kHeadEndLf;
    return Step::kNext;
  }
  // RFC 9112 5.2: obs-fold; and 2.2: white space between the start line and the first field.
  if (c == ' ' || c == '\t') {
    if (MayFold(base)) {
      mark_ = block_begin_ + fields_.back().value;
      field_ = {block_begin_ + fields_.back().name, fields_.back().name_size, 0, 0};
      counted_ -= fields_.back().value_size;
      fields_.pop_back();
      state_ = State::kValue;
      return Step::kNext;
    }
    return Fail(ErrorCode::kInvalidHeaderToken, "Unexpected whitespace after header value");
  }
  return Fail(ErrorCode::kInvalidHeaderToken, c == '\n' ? "Invalid header field char" : "Invalid header token");
}

/// A client joins the lines of a folded field (the reader replaces the fold by a space), unless it frames the message.
bool Parser::MayFold(const char* base) const {
  if (kind_ != Kind::kResponse || in_trailers_ || fields_.empty()) return false;
  const Field& last = fields_.back();
  std::string_view name(base + block_begin_ + last.name, last.name_size);
  for (const char* framing : {"content-length", "transfer-encoding", "connection", "upgrade", "proxy-connection"}) {
    if (Equals(name, framing)) return false;
  }
  return true;
}

bool Parser::Counts(uint32_t bytes) {
  // What is not counted (colons, white space, line ends) is bounded too.
  return counted_ + bytes < limits_.header_bytes && pos_ - block_begin_ < 2 * limits_.header_bytes + 1024;
}

Parser::Step Parser::ScanName(const char* base, uint32_t size) {
  while (pos_ < size && IsToken(base[pos_])) pos_++;
  if (!Counts(pos_ - mark_)) return Fail(ErrorCode::kHeaderOverflow, "Header overflow");
  if (pos_ == size) return Step::kMore;
  if (base[pos_] != ':') return Fail(ErrorCode::kInvalidHeaderToken, "Invalid header token");
  field_.name = mark_;
  field_.name_size = pos_ - mark_;
  counted_ += field_.name_size;
  pos_++;
  state_ = State::kValueStart;
  return Step::kNext;
}

Parser::Step Parser::ScanValueStart(const char* base, uint32_t size) {
  while (pos_ < size && (base[pos_] == ' ' || base[pos_] == '\t')) pos_++;
  if (!Counts(0)) return Fail(ErrorCode::kHeaderOverflow, "Header overflow");
  if (pos_ == size) return Step::kMore;
  mark_ = pos_;
  state_ = State::kValue;
  return Step::kNext;
}

Parser::Step Parser::ScanValue(const char* base, uint32_t size) {
  for (;;) {
    pos_ = ValueEnd(base, pos_, size);
    if (!Counts(pos_ - mark_)) return Fail(ErrorCode::kHeaderOverflow, "Header overflow");
    if (pos_ == size) return Step::kMore;
    char c = base[pos_];
    if (c == '\r') break;
    if (c == '\n') {
      if (Has(kLenientOptionalCrBeforeLf)) break;
      return Fail(ErrorCode::kCrExpected, "Missing expected CR after header value");
    }
    if (!Has(kLenientHeaders) || c == '\0') return Fail(ErrorCode::kInvalidHeaderToken, "Invalid header value char");
    pos_++;
  }
  value_end_ = pos_;
  if (base[pos_] == '\r') pos_++;
  state_ = State::kValueLf;
  return Step::kNext;
}

Parser::Step Parser::ScanValueLf(const char* base, uint32_t size) {
  if (pos_ == size) return Step::kMore;
  if (base[pos_] == '\n') {
    pos_++;
  } else if (!Has(kLenientOptionalLfAfterCr)) {
    return Fail(ErrorCode::kLfExpected, "Missing expected LF after header value");
  }
  state_ = State::kFieldStart;
  return ValueDone(base, value_end_);
}

Parser::Step Parser::ScanHeadEnd(const char* base, uint32_t size) {
  if (pos_ == size) return Step::kMore;
  if (base[pos_] == '\n') {
    pos_++;
  } else if (!Has(kLenientOptionalLfAfterCr)) {
    return Fail(ErrorCode::kStrict, "Expected LF after headers");
  }
  return Step::kDone;
}

Parser::Step Parser::ValueDone(const char* base, uint32_t end) {
  uint32_t line_end = end;
  while (end > mark_ && (base[end - 1] == ' ' || base[end - 1] == '\t')) end--;
  counted_ += end - mark_;
  std::string_view name(base + field_.name, field_.name_size);
  std::string_view value(base + mark_, end - mark_);
  if (!in_trailers_) {
    // Only looked for where it matters: anywhere in Transfer-Encoding, behind the number in Content-Length.
    constexpr uint32_t kTransferEncodingSize = 17, kContentLengthSize = 14;
    uint32_t from = field_.name_size == kContentLengthSize ? end : field_.name + field_.name_size;
    bool has_tab = (field_.name_size == kTransferEncodingSize || field_.name_size == kContentLengthSize) &&
                   std::memchr(base + from, '\t', line_end - from) != nullptr;
    if (FieldMatters(name, value, has_tab) == Step::kFail) return Step::kFail;
  }
  if (in_trailers_ && TrailerMatters(name, value) == Step::kFail) return Step::kFail;
  fields_.push_back({field_.name - block_begin_, field_.name_size, mark_ - block_begin_, end - mark_});
  return Step::kNext;
}

// Fields that decide how the message is framed.
Parser::Step Parser::FieldMatters(std::string_view name, std::string_view value, bool has_tab) {
  switch (name.size()) {
    case 4:
      if (!Equals(name, "host")) break;
      // RFC 9112 3.2: more than one Host is a 400.
      if (head_.has_host && kind_ == Kind::kRequest) return Fail(ErrorCode::kStrict, "Duplicate Host header");
      head_.has_host = true;
      break;
    case 6:
      if (Equals(name, "expect")) head_.has_expect = true;
      break;
    case 7:
      if (Equals(name, "upgrade")) upgrade_header_ = true;
      break;
    case 10:
      if (Equals(name, "connection")) OnConnection(value);
      break;
    case 16:
      if (Equals(name, "proxy-connection")) OnConnection(value);
      break;
    case 14:
      if (Equals(name, "content-length")) return OnContentLength(value, has_tab);
      break;
    case 17:
      if (Equals(name, "transfer-encoding")) return OnTransferEncoding(value, has_tab);
      break;
    default: break;
  }
  return Step::kNext;
}

// RFC 9110 6.5.1: framing has no place in trailers; and a `close` there is heeded.
Parser::Step Parser::TrailerMatters(std::string_view name, std::string_view value) {
  if (Equals(name, "content-length") && !Has(kLenientChunkedLength)) {
    return Fail(ErrorCode::kInvalidContentLength, "Content-Length can't be present with Transfer-Encoding");
  }
  if (Equals(name, "transfer-encoding") && !Has(kLenientTransferEncoding)) {
    return Fail(ErrorCode::kInvalidTransferEncoding, "Invalid `Transfer-Encoding` header value");
  }
  if (Equals(name, "connection") || Equals(name, "proxy-connection")) {
    OnConnection(value);
    if (connection_close_) head_.keep_alive = false;
  }
  return Step::kNext;
}

// A tab behind the number is white space by RFC 9110 5.5, but refused by llhttp and others: it is refused, so that nobody reads
// another length than we do.
Parser::Step Parser::OnContentLength(std::string_view value, bool has_tab) {
  if (length_kind_ == Length::kTransferEncoding && !Has(kLenientChunkedLength)) {
    return Fail(ErrorCode::kInvalidContentLength, "Content-Length can't be present with Transfer-Encoding");
  }
  if (head_.content_length) return Fail(ErrorCode::kUnexpectedContentLength, "Duplicate Content-Length");
  if (value.empty()) return Fail(ErrorCode::kInvalidContentLength, "Empty Content-Length");
  if (has_tab) return Fail(ErrorCode::kInvalidContentLength, "Invalid character in Content-Length");
  uint64_t length = 0;
  for (char c : value) {
    if (!IsDigit(c)) return Fail(ErrorCode::kInvalidContentLength, "Invalid character in Content-Length");
    uint64_t digit = static_cast<uint64_t>(c - '0');
    if (length > (UINT64_MAX - digit) / 10) {
      return Fail(ErrorCode::kInvalidContentLength, "Content-Length overflow");
    }
    length = length * 10 + digit;
  }
  head_.content_length = length;
  if (length_kind_ == Length::kNone) length_kind_ = Length::kLength;
  return Step::kNext;
}

// RFC 9112 6.1: `chunked` stands once, and last. White space other than SP has been used to smuggle it past others.
Parser::Step Parser::OnTransferEncoding(std::string_view value, bool has_tab) {
  if (length_kind_ == Length::kLength && !Has(kLenientChunkedLength)) {
    return Fail(ErrorCode::kInvalidTransferEncoding, "Transfer-Encoding can't be present with Content-Length");
  }
  length_kind_ = Length::kTransferEncoding;
  bool lenient = Has(kLenientTransferEncoding) || kind_ == Kind::kResponse;
  if (has_tab && kind_ == Kind::kRequest && !lenient) {
    return Fail(ErrorCode::kInvalidTransferEncoding, "Invalid `Transfer-Encoding` header value");
  }
  for (;;) {
    size_t comma = value.find(',');
    std::string_view coding = Trim(value.substr(0, comma));
    if (saw_chunked_ && !lenient) {
      return Fail(ErrorCode::kInvalidTransferEncoding, "Invalid `Transfer-Encoding` header value");
    }
    saw_chunked_ = Equals(coding, "chunked");
    if (comma == std::string_view::npos) break;
    value.remove_prefix(comma + 1);
  }
  return Step::kNext;
}

void Parser::OnConnection(std::string_view value) {
  head_.has_connection = true;
  while (!value.empty()) {
    size_t comma = value.find(',');
    std::string_view option = Trim(value.substr(0, comma));
    if (Equals(option, "close")) {
      connection_close_ = true;
    } else if (Equals(option, "keep-alive")) {
      connection_keep_alive_ = true;
    } else if (Equals(option, "upgrade")) {
      connection_upgrade_ = true;
    }
    if (comma == std::string_view::npos) break;
    value.remove_prefix(comma + 1);
  }
}

Event Parser::SectionDone(const char* base) {
  if (!in_trailers_) return HeadDone(base);
  trailers_ = {std::string_view(base, mark_), fields_};
  pos_ = 0;
  in_trailers_ = false;
  state_ = State::kMessageDone;
  return MessageDone();
}

Event Parser::HeadDone(const char* base) {
  bool request = kind_ == Kind::kRequest;
  head_.target = std::string_view(base + target_begin_, target_size_);
  head_.reason = std::string_view(base + reason_begin_, reason_size_);
  head_.headers = {std::string_view(base + block_begin_, mark_ - block_begin_), fields_};
  head_.chunked = saw_chunked_;
  bool wants_upgrade = upgrade_header_ && connection_upgrade_;
  head_.upgrade = request ? wants_upgrade || head_.method == Method::kConnect : wants_upgrade && head_.status == 101;
  if (saw_chunked_) head_.content_length.reset();
  if (request && length_kind_ == Length::kTransferEncoding) {
    if (!saw_chunked_ && !Has(kLenientTransferEncoding)) {
      return Failed(ErrorCode::kInvalidTransferEncoding, "Request has invalid `Transfer-Encoding`");
    }
    // RFC 9112 6.1: a sender of HTTP/1.0 does not know chunked; its framing is faulty.
    if (head_.major == 1 && head_.minor == 0 && !Has(kLenientTransferEncoding)) {
      return Failed(ErrorCode::kInvalidTransferEncoding, "Transfer-Encoding in an HTTP/1.0 request");
    }
  }
  head_.keep_alive = Persists();
  pos_ = 0;
  state_ = State::kBodyStart;
  if (AfterHead() == State::kBodyEof) head_.keep_alive = false;
  return Event::kHead;
}

}  // namespace gyre::codec::http1

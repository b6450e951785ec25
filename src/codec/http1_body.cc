// The body of a message: by length, in chunks or until the peer closes; and what comes between messages.
#include <algorithm>

#include "codec/http1.h"

namespace gyre::codec::http1 {

namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool IsExtensionToken(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool IsQuotedText(char c) {
  uint8_t byte = static_cast<uint8_t>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

}  // namespace

Event Parser::Next(std::string_view* input) {
  body_ = {};
  if (state_ == State::kBodyStart) {
    state_ = AfterHead();
    stash_.clear();
  }
  if (state_ == State::kMessageDone) return MessageDone();
  if (state_ == State::kUpgraded) return Event::kUpgraded;
  if (state_ == State::kFailed) return Event::kError;
  if (input->empty()) return Event::kNeedMore;
  if (state_ == State::kStart && !stash_.empty()) stash_.clear();
  if (state_ <= State::kHeadEndLf) return NextHead(input);
  return NextBody(input);
}

void Parser::SetBodyRule(BodyRule rule) {
  if (state_ != State::kBodyStart) return;
  rule_ = rule;
  if (rule == BodyRule::kNone && kind_ == Kind::kResponse) {
    // An answer without a body needs no close to end it.
    head_.keep_alive = Persists();
  }
}

// RFC 9112 9.3. What calls itself HTTP/2.0 and is framed as HTTP/1 is not trusted with a second message.
bool Parser::Persists() const {
  if (connection_close_) return false;
  return connection_keep_alive_ || (head_.major == 1 && head_.minor >= 1);
}

// RFC 9112 6.3.
Parser::State Parser::AfterHead() const {
  if (rule_ != BodyRule::kFramed) return State::kMessageDone;
  bool request = kind_ == Kind::kRequest;
  if (!request && (head_.status / 100 == 1 || head_.status == 204 || head_.status == 304)) return State::kMessageDone;
  if (saw_chunked_) return State::kChunkSizeFirst;
  if (length_kind_ == Length::kLength) return *head_.content_length == 0 ? State::kMessageDone : State::kBodyLength;
  return request ? State::kMessageDone : State::kBodyEof;
}

Event Parser::MessageDone() {
  remaining_ = 0;
  if (rule_ == BodyRule::kUpgrade) {
    state_ = State::kUpgraded;
  } else if (head_.keep_alive || Has(kLenientKeepAlive)) {
    state_ = State::kStart;
  } else {
    state_ = State::kClosed;
  }
  return Event::kComplete;
}

Event Parser::NextBody(std::string_view* input) {
  while (!input->empty()) {
    switch (state_) {
      case State::kBodyLength:
        if (remaining_ == 0) remaining_ = *head_.content_length;
        return TakeBody(input);
      case State::kChunkData: return TakeBody(input);
      case State::kBodyEof:
        body_ = *input;
        input->remove_prefix(input->size());
        return Event::kBody;
      case State::kClosed:
        // RFC 9112 9.6: nothing follows a message that closes; line ends alone are harmless.
        if (input->front() == '\r' || input->front() == '\n') {
          input->remove_prefix(1);
          break;
        }
        if (Has(kLenientDataAfterClose)) {
          state_ = State::kStart;
          return Next(input);
        }
        return Failed(ErrorCode::kClosedConnection, "Data after `Connection: close`");
      case State::kFieldStart: return NextHead(input);  // trailers
      default: {
        Event event = NextChunkByte(input);
        if (event != Event::kNeedMore) return event;
      }
    }
  }
  return Event::kNeedMore;
}

Event Parser::TakeBody(std::string_view* input) {
  size_t taken = static_cast<size_t>(std::min<uint64_t>(remaining_, input->size()));
  body_ = input->substr(0, taken);
  input->remove_prefix(taken);
  remaining_ -= taken;
  if (remaining_ == 0) state_ = state_ == State::kBodyLength ? State::kMessageDone : State::kChunkDataCr;
  return Event::kBody;
}

// One byte of a chunk's frame; kNeedMore means: go on. RFC 9112 7.1.
Event Parser::NextChunkByte(std::string_view* input) {
  char c = input->front();
  switch (state_) {
    case State::kChunkSizeFirst:
    case State::kChunkSize: {
      int digit = HexDigit(c);
      if (digit >= 0) {
        if (state_ == State::kChunkSizeFirst) remaining_ = 0;
        if (remaining_ >> 60 != 0) return Failed(ErrorCode::kInvalidChunkSize, "Chunk size overflow");
        remaining_ = remaining_ << 4 | static_cast<uint64_t>(digit);
        state_ = State::kChunkSize;
        break;
      }
      if (state_ == State::kChunkSizeFirst) {
        return Failed(ErrorCode::kInvalidChunkSize, "Invalid character in chunk size");
      }
      [[fallthrough]];
    }
    case State::kChunkSizeSpace:
      if (c == '\r') {
        state_ = State::kChunkSizeLf;
      } else if (c == '\n' && Has(kLenientOptionalCrBeforeLf)) {
        state_ = State::kChunkSizeLf;
        return Event::kNeedMore;
      } else if (c == '\n') {
        return Failed(ErrorCode::kCrExpected, "Missing expected CR after chunk size");
      } else if (c == ';') {
        state_ = State::kChunkExtName;
        mark_ = 0;
      } else if (c == ' ' && Has(kLenientSpacesAfterChunkSize)) {
        state_ = State::kChunkSizeSpace;
      } else {
        return Failed(ErrorCode::kInvalidChunkSize, "Invalid character in chunk size");
      }
      break;
    case State::kChunkExtName:
    case State::kChunkExtValue:
    case State::kChunkExtQuoted:
    case State::kChunkExtQuotedPair:
    case State::kChunkExtQuotedEnd: {
      if (Event event = ChunkExtension(c); event != Event::kNeedMore) return event;
      break;
    }
    case State::kChunkSizeLf:
      if (c == '\n') {
        input->remove_prefix(1);
      } else if (!Has(kLenientOptionalLfAfterCr)) {
        return Failed(ErrorCode::kStrict, "Expected LF after chunk size");
      }
      return OnChunkSizeEnd();
    case State::kChunkDataCr:
      if (c == '\r') {
        state_ = State::kChunkDataLf;
        break;
      }
      if (c == '\n' && !Has(kLenientOptionalCrBeforeLf)) {
        return Failed(ErrorCode::kCrExpected, "Missing expected CR after chunk data");
      }
      if (c != '\n' && !Has(kLenientOptionalCrlfAfterChunk)) {
        return Failed(ErrorCode::kStrict, "Expected LF after chunk data");
      }
      state_ = State::kChunkSizeFirst;
      if (c == '\n') break;
      return Event::kNeedMore;
    case State::kChunkDataLf:
      state_ = State::kChunkSizeFirst;
      if (c == '\n') break;
      if (Has(kLenientOptionalLfAfterCr)) return Event::kNeedMore;
      return Failed(ErrorCode::kStrict, "Expected LF after chunk data");
    default: return Failed(ErrorCode::kInternal, "Unexpected parser state");
  }
  input->remove_prefix(1);
  return Event::kNeedMore;
}

// chunk-ext = *( ";" chunk-ext-name [ "=" chunk-ext-val ] ), without the bad white space that a sender must not make.
// `mark_` counts the bytes of the present name or value: an empty one is refused.
Event Parser::ChunkExtension(char c) {
  if (++extension_bytes_ > limits_.chunk_extension_bytes ||
      ++message_extension_bytes_ > 4 * limits_.chunk_extension_bytes) {
    return Failed(ErrorCode::kChunkExtensionsOverflow, "Chunk extensions overflow");
  }
  if (state_ == State::kChunkExtQuoted) {
    if (c == '"') {
      state_ = State::kChunkExtQuotedEnd;
    } else if (c == '\\') {
      state_ = State::kChunkExtQuotedPair;
    } else if (!IsQuotedText(c)) {
      return Failed(ErrorCode::kStrict, "Invalid character in chunk extensions quoted value");
    }
    return Event::kNeedMore;
  }
  if (state_ == State::kChunkExtQuotedPair) {
    if (!IsQuotedText(c)) return Failed(ErrorCode::kStrict, "Invalid quoted-pair in chunk extensions quoted value");
    state_ = State::kChunkExtQuoted;
    return Event::kNeedMore;
  }
  bool in_name = state_ == State::kChunkExtName, after_quotes = state_ == State::kChunkExtQuotedEnd;
  if (IsExtensionToken(c) && !after_quotes) {
    mark_++;
  } else if (c == '"' && state_ == State::kChunkExtValue && mark_ == 0) {
    state_ = State::kChunkExtQuoted;
  } else if (mark_ == 0 && !after_quotes) {
    return Failed(ErrorCode::kStrict, "Invalid character in chunk extensions");
  } else if (c == '=' && in_name) {
    state_ = State::kChunkExtValue;
    mark_ = 0;
  } else if (c == ';') {
    state_ = State::kChunkExtName;
    mark_ = 0;
  } else if (c == '\r') {
    state_ = State::kChunkSizeLf;
  } else if (c == '\n') {
    return Failed(ErrorCode::kCrExpected, "Missing expected CR after chunk extension name");
  } else {
    return Failed(ErrorCode::kStrict, in_name ? "Invalid character in chunk extensions name"
                                              : "Invalid character in chunk extensions value");
  }
  return Event::kNeedMore;
}

Event Parser::OnChunkSizeEnd() {
  extension_bytes_ = 0;
  if (remaining_ != 0) {
    state_ = State::kChunkData;
    return Event::kNeedMore;
  }
  // The last chunk; a trailer section follows, read like a head.
  in_trailers_ = true;
  state_ = State::kFieldStart;
  stash_.clear();
  fields_.clear();
  pos_ = mark_ = block_begin_ = counted_ = 0;
  return Event::kNeedMore;
}

Event Parser::Finish() {
  body_ = {};
  switch (state_) {
    case State::kStart:
    case State::kStartLf:
    case State::kClosed:
    case State::kUpgraded: return Event::kNeedMore;
    case State::kFailed: return Event::kError;
    case State::kBodyStart:
      state_ = AfterHead();
      if (state_ == State::kMessageDone) return MessageDone();
      if (state_ != State::kBodyEof) return Failed(ErrorCode::kInvalidEofState, "Invalid EOF state");
      return MessageDone();
    case State::kMessageDone: return MessageDone();
    case State::kBodyEof: return MessageDone();
    default: return Failed(ErrorCode::kInvalidEofState, "Invalid EOF state");
  }
}

}  // namespace gyre::codec::http1

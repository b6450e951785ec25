// Feeds bytes to the HTTP/1 codec, as requests and as answers, whole and in pieces, and compares it with llhttp 8.1
// (Debian's node-llhttp, compiled for this program only, in both of its modes): what llhttp refuses must be refused, and
// what both take must have the same heads and bodies. Each difference is in README.md.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "codec/http1.h"
#include "llhttp.h"

extern "C" {
void strict_llhttp_init(llhttp_t*, llhttp_type_t, const llhttp_settings_t*);
llhttp_errno_t strict_llhttp_execute(llhttp_t*, const char*, size_t);
}

namespace {

using namespace gyre::codec::http1;

struct Outcome {
  bool refused = false;
  bool amid = false;      // the input ends within a message
  bool upgraded = false;  // the rest belongs to another protocol, or would if somebody agreed
  int messages = 0;
  int heads = 0;
  std::string body;
  std::string log;
  std::string reason;
  std::string line;  // up to the byte that was refused
  std::string_view rest;  // the input from the offending byte on
};

Outcome RunOurs(Kind kind, std::string_view input, size_t step) {
  Outcome outcome;
  Parser parser(kind);
  while (!input.empty()) {
    std::string_view piece = input.substr(0, step);
    input.remove_prefix(piece.size());
    for (;;) {
      Event event = parser.Next(&piece);
      if (event == Event::kNeedMore) break;
      if (event == Event::kError) {
        outcome.refused = true;
        outcome.log += ErrorName(parser.error());
        return outcome;
      }
      if (event == Event::kHead) {
        outcome.heads++;
        outcome.log += std::string(parser.head().target) + "|" + std::string(parser.head().reason) + "|";
        for (const Field& field : parser.head().headers.fields) {
          outcome.log += std::string(parser.head().headers.name(field)) + "=" +
                         std::string(parser.head().headers.value(field)) + "|";
        }
        // What follows depends on who asked for it: no comparison from here.
        if (parser.head().upgrade) {
          outcome.upgraded = true;
          return outcome;
        }
      }
      if (event == Event::kBody) outcome.body += parser.body();
      if (event == Event::kComplete) outcome.messages++;
    }
  }
  outcome.amid = parser.in_message();
  return outcome;
}

int OnComplete(llhttp_t* parser) {
  static_cast<Outcome*>(parser->data)->messages++;
  return 0;
}
int OnHeaders(llhttp_t* parser) {
  static_cast<Outcome*>(parser->data)->heads++;
  // RFC 9112 6.3: llhttp leaves it to its caller that these have no body, whatever their fields say.
  int status = parser->type == HTTP_RESPONSE ? parser->status_code : 0;
  return status / 100 == 1 || status == 204 || status == 304 ? 1 : 0;
}
int OnBody(llhttp_t* parser, const char* at, size_t size) {
  static_cast<Outcome*>(parser->data)->body.append(at, size);
  return 0;
}

enum class Mode { kLoose, kStrict };

Outcome RunTheirs(Mode mode, Kind kind, std::string_view input) {
  Outcome outcome;
  llhttp_settings_t settings;
  llhttp_settings_init(&settings);
  settings.on_message_complete = OnComplete;
  settings.on_headers_complete = OnHeaders;
  settings.on_body = OnBody;
  llhttp_t parser;
  bool strict = mode == Mode::kStrict;
  (strict ? strict_llhttp_init : llhttp_init)(&parser, kind == Kind::kRequest ? HTTP_REQUEST : HTTP_RESPONSE, &settings);
  parser.data = &outcome;
  llhttp_errno_t error = (strict ? strict_llhttp_execute : llhttp_execute)(&parser, input.data(), input.size());
  outcome.refused = error != HPE_OK && error != HPE_PAUSED_UPGRADE;
  outcome.upgraded = error == HPE_PAUSED_UPGRADE;
  if (outcome.refused && parser.reason != nullptr) outcome.reason = parser.reason;
  if (outcome.refused && parser.error_pos != nullptr) {
    outcome.rest = input.substr(static_cast<size_t>(parser.error_pos - input.data()));
    outcome.line = input.substr(0, input.size() - outcome.rest.size());
    outcome.line.erase(0, outcome.line.rfind('\n') + 1);
  }
  return outcome;
}

[[noreturn]] void Fail(const char* what, std::string_view input, const Outcome& theirs = {}) {
  std::fprintf(stderr, "%s (%s) for:\n", what, theirs.reason.c_str());
  for (char c : input) {
    if (c >= 32 && c < 127) std::fputc(c, stderr);
    else std::fprintf(stderr, "\\x%02x", static_cast<unsigned char>(c));
  }
  std::fputc('\n', stderr);
  std::abort();
}

/// What llhttp 8.1 refuses and we do not, see README.md: by the reason that it gives and what stands before the offending
/// byte in its line.
bool MayTake(const Outcome& theirs) {
  if (theirs.reason.starts_with("Invalid character in chunk extensions")) return true;
  if (theirs.reason == "Invalid method encountered" && theirs.rest.starts_with("QUERY")) return true;
  size_t value = theirs.line.find('=');
  return theirs.reason == "Invalid character in chunk size" && value != std::string::npos &&
         theirs.line.find(';', value) != std::string::npos;
}

void Compare(Mode mode, Kind kind, std::string_view input, const Outcome& ours) {
  Outcome theirs = RunTheirs(mode, kind, input);
  if (ours.refused || ours.upgraded) return;
  if (!theirs.refused) {
    if (ours.messages > theirs.messages) Fail("more messages than llhttp", input, theirs);
    if (theirs.upgraded || ours.amid) return;
    if (ours.heads != theirs.heads || ours.body != theirs.body) Fail("framed differently from llhttp", input, theirs);
    return;
  }
  if (MayTake(theirs)) return;
  if (!ours.amid) Fail("llhttp refuses it, we do not", input, theirs);
  // Amid a message we may only be about to refuse it, since some checks wait for the end of a token. Not later than
  // with the end of the head or of the chunk's frame.
  for (const char* end : {"\r\n\r\n", "\r\n", " / HTTP/1.1\r\nHost: a\r\n\r\n"}) {
    std::string longer = std::string(input) + end;
    Outcome again = RunOurs(kind, longer, longer.size());
    if (!again.refused && !again.upgraded && again.heads > theirs.heads) Fail("llhttp refuses it, we do not later", longer, theirs);
  }
}

void Check(Kind kind, std::string_view input) {
  Outcome whole = RunOurs(kind, input, input.empty() ? 1 : input.size());
  for (size_t step : {size_t{1}, size_t{3}, size_t{17}}) {
    Outcome pieces = RunOurs(kind, input, step);
    if (pieces.refused != whole.refused || pieces.messages != whole.messages || pieces.body != whole.body ||
        pieces.log != whole.log) {
      Fail("cut differently, read differently", input);
    }
  }
  Compare(Mode::kLoose, kind, input, whole);
  Compare(Mode::kStrict, kind, input, whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  Check(input.starts_with("HTTP/") ? Kind::kResponse : Kind::kRequest, input);
  return 0;
}

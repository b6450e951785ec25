// Feeds bytes to the HTTP/1 codec, whole and in pieces, and compares it with llhttp 8.1 (Debian's node-llhttp, compiled
// for this program only): what llhttp refuses must be refused. Each difference the other way is in README.md.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "codec/http1.h"
#include "llhttp.h"

namespace {

using namespace gyre::codec::http1;

struct Outcome {
  bool refused = false;
  bool amid = false;  // the input ends within a message
  int messages = 0;
  int heads = 0;
  std::string body;
  std::string log;
};

Outcome RunOurs(std::string_view input, size_t step) {
  Outcome outcome;
  Parser parser(Kind::kRequest);
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
        outcome.log += std::string(parser.head().target) + "|";
        for (const Field& field : parser.head().headers.fields) {
          outcome.log += std::string(parser.head().headers.name(field)) + "=" +
                         std::string(parser.head().headers.value(field)) + "|";
        }
        // What follows depends on who asked for it: no comparison from here.
        if (parser.head().upgrade) {
          outcome.amid = true;
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
  return 0;
}
int OnBody(llhttp_t* parser, const char* at, size_t size) {
  static_cast<Outcome*>(parser->data)->body.append(at, size);
  return 0;
}

Outcome RunTheirs(std::string_view input) {
  Outcome outcome;
  llhttp_settings_t settings;
  llhttp_settings_init(&settings);
  settings.on_message_complete = OnComplete;
  settings.on_headers_complete = OnHeaders;
  settings.on_body = OnBody;
  llhttp_t parser;
  llhttp_init(&parser, HTTP_REQUEST, &settings);
  parser.data = &outcome;
  llhttp_errno_t error = llhttp_execute(&parser, input.data(), input.size());
  outcome.refused = error != HPE_OK && error != HPE_PAUSED_UPGRADE;
  return outcome;
}

[[noreturn]] void Fail(const char* what, std::string_view input) {
  std::fprintf(stderr, "%s for:\n", what);
  for (char c : input) {
    if (c >= 32 && c < 127) std::fputc(c, stderr);
    else std::fprintf(stderr, "\\x%02x", static_cast<unsigned char>(c));
  }
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  Outcome whole = RunOurs(input, size == 0 ? 1 : size);
  for (size_t step : {size_t{1}, size_t{3}, size_t{17}}) {
    Outcome pieces = RunOurs(input, step);
    if (pieces.refused != whole.refused || pieces.messages != whole.messages || pieces.body != whole.body ||
        pieces.log != whole.log) {
      Fail("cut differently, read differently", input);
    }
  }
  Outcome theirs = RunTheirs(input);
  // RFC 9112 7.1.1 allows quoted strings in chunk extensions, and an extension behind one with a value; llhttp reads
  // them since 9.
  bool quoted = input.find('"') != std::string_view::npos ||
                (input.find(';') != std::string_view::npos && input.find('=') != std::string_view::npos);
  // Amid a message we may only be about to refuse it: some checks wait for the end of a token.
  if (theirs.refused && !whole.refused && !whole.amid && !quoted && whole.messages >= theirs.messages) {
    Fail("llhttp refuses it, we do not", input);
  }
  if (!theirs.refused && !whole.refused && whole.messages > theirs.messages) Fail("more messages than llhttp", input);
  return 0;
}

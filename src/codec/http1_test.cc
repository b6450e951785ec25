#include "codec/http1.h"

#include <gtest/gtest.h>

#include <string>

namespace gyre::codec::http1 {
namespace {

struct Options {
  uint32_t lenient = 0;
  Limits limits = {};
  BodyRule rule = BodyRule::kFramed;
  bool eof = false;
};

/// What happens, as text: neighbouring body pieces joined, so that it does not depend on how the input was cut.
class Transcript {
 public:
  Transcript(Kind kind, Options options) : parser_(kind, options.limits, options.lenient), options_(options) {}

  void Feed(std::string_view input) {
    while (!done_) {
      Event event = parser_.Next(&input);
      if (event == Event::kNeedMore) return;
      Add(event, input);
    }
  }
  std::string Finish() {
    if (options_.eof && !done_) {
      Event event = parser_.Finish();
      if (event != Event::kNeedMore) Add(event, {});
      text_ += " eof";
    }
    return text_;
  }

 private:
  void Add(Event event, std::string_view rest) {
    if (event != Event::kBody) in_body_ = false;
    switch (event) {
      case Event::kHead: AddHead(); break;
      case Event::kBody:
        if (!in_body_) text_ += " body:";
        in_body_ = true;
        text_ += parser_.body();
        break;
      case Event::kComplete:
        for (const Field& field : parser_.trailers().fields) {
          text_ += " trailer:" + std::string(parser_.trailers().name(field)) + "=" +
                   std::string(parser_.trailers().value(field));
        }
        text_ += " end";
        break;
      case Event::kUpgraded:
        text_ += " upgraded";
        done_ = true;
        break;
      case Event::kError:
        text_ += std::string(" ") + ErrorName(parser_.error());
        done_ = true;
        break;
      default: break;
    }
    (void)rest;
  }
  void AddHead() {
    const Head& head = parser_.head();
    if (head.status != 0) {
      text_ += " " + std::to_string(head.status) + "(" + std::string(head.reason) + ")";
    } else {
      text_ += " " + std::string(MethodName(head.method)) + " " + std::string(head.target);
    }
    text_ += " " + std::to_string(head.major) + "." + std::to_string(head.minor);
    for (const Field& field : head.headers.fields) {
      text_ += " " + std::string(head.headers.name(field)) + "=" + std::string(head.headers.value(field));
    }
    text_ += head.keep_alive ? " keep" : " close";
    if (head.upgrade) text_ += " upgrade";
    parser_.SetBodyRule(options_.rule);
  }

  Parser parser_;
  Options options_;
  std::string text_;
  bool in_body_ = false;
  bool done_ = false;
};

/// Runs the input whole, cut in two at every place, and byte by byte; all must tell the same.
std::string Run(Kind kind, std::string_view input, Options options = {}) {
  Transcript whole(kind, options);
  whole.Feed(input);
  std::string expected = whole.Finish();
  size_t step = input.size() > 500 ? input.size() / 97 : 1;
  for (size_t cut = 1; cut < input.size(); cut += step) {
    Transcript two(kind, options);
    two.Feed(input.substr(0, cut));
    two.Feed(input.substr(cut));
    EXPECT_EQ(two.Finish(), expected) << "cut at " << cut;
  }
  Transcript bytes(kind, options);
  for (size_t i = 0; i < input.size(); i++) bytes.Feed(input.substr(i, 1));
  EXPECT_EQ(bytes.Finish(), expected) << "byte by byte";
  return expected;
}
std::string Request(std::string_view input, Options options = {}) { return Run(Kind::kRequest, input, options); }
std::string Response(std::string_view input, Options options = {}) { return Run(Kind::kResponse, input, options); }

const std::string kGet = "GET / HTTP/1.1\r\nHost: a\r\n";
const std::string kPost = "POST / HTTP/1.1\r\nHost: a\r\n";
const std::string kChunked = kPost + "Transfer-Encoding: chunked\r\n\r\n";

/// Refused with this code whatever comes before it; nothing behind it is seen.
void ExpectRefused(std::string_view input, std::string_view code, Options options = {}) {
  std::string text = Request(std::string(input) + "GET /smuggled HTTP/1.1\r\nHost: b\r\n\r\n", options);
  EXPECT_TRUE(text.ends_with(code)) << text << " for " << input.substr(0, 120);
  EXPECT_EQ(text.find("smuggled"), std::string::npos) << text;
}

TEST(Http1Test, ReadsARequest) {
  EXPECT_EQ(Request(kGet + "\r\n"), " GET / 1.1 Host=a keep end");
  EXPECT_EQ(Request("\r\n\r\n" + kGet + "\r\n"), " GET / 1.1 Host=a keep end");
  EXPECT_EQ(Request(kGet + "A:  \t b c \t\r\nB:\r\n\r\n"), " GET / 1.1 Host=a A=b c B= keep end");
  EXPECT_EQ(Request("GET http://a@b/c?d HTTP/1.1\r\nHost: b\r\n\r\n"), " GET http://a@b/c?d 1.1 Host=b keep end");
  EXPECT_EQ(Request("OPTIONS * HTTP/1.1\r\nHost: b\r\n\r\n"), " OPTIONS * 1.1 Host=b keep end");
  EXPECT_EQ(Request("M-SEARCH / HTTP/1.0\r\n\r\n"), " M-SEARCH / 1.0 close end");
  EXPECT_EQ(Request("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"), " GET / 1.0 Connection=Keep-Alive keep end");
  EXPECT_EQ(Request(kGet + "Connection: x, CLOSE\r\n\r\n"), " GET / 1.1 Host=a Connection=x, CLOSE close end");
}

TEST(Http1Test, ReadsPipelinedRequests) {
  EXPECT_EQ(Request(kGet + "\r\n" + kPost + "Content-Length: 5\r\n\r\nhello" + kGet + "\r\n"),
            " GET / 1.1 Host=a keep end POST / 1.1 Host=a Content-Length=5 keep body:hello end GET / 1.1 Host=a keep end");
}

TEST(Http1Test, ReadsChunksAndTrailers) {
  EXPECT_EQ(Request(kChunked + "5\r\nhello\r\n1A;a=b;c=\"d\\\" e\";f\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nT: v\r\n\r\n" +
                    kGet + "\r\n"),
            " POST / 1.1 Host=a Transfer-Encoding=chunked keep body:helloabcdefghijklmnopqrstuvwxyz trailer:T=v end"
            " GET / 1.1 Host=a keep end");
}

TEST(Http1Test, TrailersDoNotFrame) {
  EXPECT_EQ(Request(kChunked + "0\r\nHost: h\r\nExpect: x\r\n\r\n" + kGet + "\r\n"),
            " POST / 1.1 Host=a Transfer-Encoding=chunked keep trailer:Host=h trailer:Expect=x end GET / 1.1 Host=a keep end");
  ExpectRefused(kChunked + "0\r\nContent-Length: 9\r\n\r\n", "HPE_INVALID_CONTENT_LENGTH");
  ExpectRefused(kChunked + "0\r\nTransfer-Encoding: chunked\r\n\r\n", "HPE_INVALID_TRANSFER_ENCODING");
  ExpectRefused(kChunked + "0\r\nConnection: close\r\n\r\n", "HPE_CLOSED_CONNECTION");
}

TEST(Http1Test, RefusesAmbiguousLengths) {
  ExpectRefused(kPost + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HPE_INVALID_TRANSFER_ENCODING");
  ExpectRefused(kPost + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                "HPE_INVALID_CONTENT_LENGTH");
  ExpectRefused(kPost + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", "HPE_UNEXPECTED_CONTENT_LENGTH");
  ExpectRefused(kPost + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", "HPE_UNEXPECTED_CONTENT_LENGTH");
  for (const char* length : {"+5", "-1", "0x5", "18446744073709551616", "5\t", "5 \t", "", "5, 5", "5 5", "\xb2"}) {
    ExpectRefused(kPost + "Content-Length: " + length + "\r\n\r\n", "HPE_INVALID_CONTENT_LENGTH");
  }
  for (const char* coding : {"chunked, identity", "xchunked", "\tchunked", "chunked\t", "chunked, chunked", "identity",
                             "", "chunked,", "\"chunked\"", "chunked;q=1"}) {
    ExpectRefused(kPost + "Transfer-Encoding: " + coding + "\r\n\r\n", "HPE_INVALID_TRANSFER_ENCODING");
  }
  ExpectRefused(kPost + "Transfer-Encoding: \x0b" "chunked\r\n\r\n", "HPE_INVALID_HEADER_TOKEN");
  ExpectRefused(kPost + std::string("Transfer-Encoding: chunked\0\r\n\r\n", 31), "HPE_INVALID_HEADER_TOKEN");
  ExpectRefused(kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HPE_INVALID_TRANSFER_ENCODING");
  ExpectRefused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "HPE_INVALID_TRANSFER_ENCODING");
}

TEST(Http1Test, RefusesBadLineEnds) {
  ExpectRefused("GET / HTTP/1.1\nHost: a\n\n", "HPE_INVALID_VERSION");
  ExpectRefused("GET / HTTP/1.1\rX", "HPE_STRICT");
  ExpectRefused(kGet + "A: c\n\r\n", "HPE_CR_EXPECTED");
  ExpectRefused(kGet + "A: c\rX\r\n\r\n", "HPE_LF_EXPECTED");
  ExpectRefused(kGet + "A: c\r\n folded\r\n\r\n", "HPE_INVALID_HEADER_TOKEN");
  ExpectRefused(kGet + " A: c\r\n\r\n", "HPE_INVALID_HEADER_TOKEN");
  ExpectRefused(kGet + "\rX", "HPE_STRICT");
  ExpectRefused(kGet + "\n", "HPE_INVALID_HEADER_TOKEN");
  ExpectRefused("\n" + kGet + "\r\n", "HPE_INVALID_METHOD");
}

TEST(Http1Test, RefusesBadFields) {
  ExpectRefused(kGet + "A : c\r\n\r\n", "HPE_INVALID_HEADER_TOKEN");
  ExpectRefused(kGet + ": c\r\n\r\n", "HPE_INVALID_HEADER_TOKEN");
  ExpectRefused(kGet + "A\r\n\r\n", "HPE_INVALID_HEADER_TOKEN");
  ExpectRefused(kGet + "A: \x7f\r\n\r\n", "HPE_INVALID_HEADER_TOKEN");
  ExpectRefused(kGet + std::string("A: \0\r\n\r\n", 8), "HPE_INVALID_HEADER_TOKEN");
  ExpectRefused(kGet + "A\xe9: b\r\n\r\n", "HPE_INVALID_HEADER_TOKEN");
  ExpectRefused(kGet + "Host: b\r\n\r\n", "HPE_STRICT");
}

TEST(Http1Test, RefusesBadChunks) {
  ExpectRefused(kChunked + "FFFFFFFFFFFFFFFFF\r\n", "HPE_INVALID_CHUNK_SIZE");
  ExpectRefused(kChunked + "10000000000000000\r\n", "HPE_INVALID_CHUNK_SIZE");
  ExpectRefused(kChunked + "X\r\n", "HPE_INVALID_CHUNK_SIZE");
  ExpectRefused(kChunked + "0x5\r\nhello\r\n", "HPE_INVALID_CHUNK_SIZE");
  ExpectRefused(kChunked + "\r\n", "HPE_INVALID_CHUNK_SIZE");
  ExpectRefused(kChunked + "5 \r\nhello\r\n", "HPE_INVALID_CHUNK_SIZE");
  ExpectRefused(kChunked + "5\nhello", "HPE_CR_EXPECTED");
  ExpectRefused(kChunked + "5\rXhello", "HPE_STRICT");
  ExpectRefused(kChunked + "5\r\nhelloX\r\n", "HPE_STRICT");
  ExpectRefused(kChunked + "5\r\nhello\n", "HPE_CR_EXPECTED");
  ExpectRefused(kChunked + "5\r\nhello\rX", "HPE_STRICT");
  ExpectRefused(kChunked + "5;\x01\r\n", "HPE_STRICT");
  ExpectRefused(kChunked + "5;a\nhello", "HPE_CR_EXPECTED");
  ExpectRefused(kChunked + "5; a\r\n", "HPE_STRICT");
  ExpectRefused(kChunked + "5;a=\r\n", "HPE_STRICT");
  ExpectRefused(kChunked + "0\r\nA: b\n\r\n", "HPE_CR_EXPECTED");
}

TEST(Http1Test, RefusesBadRequestLines) {
  ExpectRefused("GET\t/ HTTP/1.1\r\n\r\n", "HPE_INVALID_METHOD");
  ExpectRefused("get / HTTP/1.1\r\n\r\n", "HPE_INVALID_METHOD");
  ExpectRefused("FOO / HTTP/1.1\r\n\r\n", "HPE_INVALID_METHOD");
  ExpectRefused("GET  / HTTP/1.1\r\n\r\n", "HPE_INVALID_URL");
  ExpectRefused("GET /\r\n\r\n", "HPE_INVALID_CONSTANT");
  ExpectRefused("GET / HTTP/9.9\r\n\r\n", "HPE_INVALID_VERSION");
  ExpectRefused("GET / HTTP/1.2\r\n\r\n", "HPE_INVALID_VERSION");
  ExpectRefused("GET / HTTP/2.0\r\n\r\n", "HPE_INVALID_VERSION");
  ExpectRefused("GET / HTTP/1.1 \r\n\r\n", "HPE_INVALID_VERSION");
  ExpectRefused("GET / http/1.1\r\n\r\n", "HPE_INVALID_CONSTANT");
  ExpectRefused("GET / RTSP/1.0\r\n\r\n", "HPE_INVALID_CONSTANT");
  for (const char* target : {"a", "?a", "/\x7f", "/\xc3\xa9", "http:/x", "http://a@b@c/", "*a", "http://"}) {
    ExpectRefused("GET " + std::string(target) + " HTTP/1.1\r\n\r\n", "HPE_INVALID_URL");
  }
  ExpectRefused(std::string("GET /\0 HTTP/1.1\r\n\r\n", 19), "HPE_INVALID_URL");
  ExpectRefused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HPE_PAUSED_H2_UPGRADE");
  ExpectRefused(std::string("\x16\x03\x01\x02\x00\x01\x00", 7), "HPE_INVALID_METHOD");
}

TEST(Http1Test, BoundsTheHead) {
  std::string big(20000, 'b');
  ExpectRefused(kGet + "A: " + big + "\r\n\r\n", "HPE_HEADER_OVERFLOW");
  ExpectRefused(kGet + big + ": x\r\n\r\n", "HPE_HEADER_OVERFLOW");
  ExpectRefused("GET /" + big + " HTTP/1.1\r\n\r\n", "HPE_HEADER_OVERFLOW");
  ExpectRefused(kGet + "A: " + std::string(40000, ' ') + "\r\n\r\n", "HPE_HEADER_OVERFLOW");
  std::string many = kGet;
  for (int i = 0; i < 10000; i++) many += "h" + std::to_string(i) + ": x\r\n";
  ExpectRefused(many + "\r\n", "HPE_HEADER_OVERFLOW");
  ExpectRefused(kChunked + "0\r\nA: " + big + "\r\n\r\n", "HPE_HEADER_OVERFLOW");
  // The target, names and values count: one byte under the limit passes.
  Options small = {.limits = {.header_bytes = 10}};
  EXPECT_EQ(Request("GET / HTTP/1.1\r\nHost: abcd\r\n\r\n", small), " GET / 1.1 Host=abcd keep end");
  ExpectRefused("GET / HTTP/1.1\r\nHost: abcde\r\n\r\n", "HPE_HEADER_OVERFLOW", small);
}

TEST(Http1Test, BoundsChunkExtensions) {
  ExpectRefused(kChunked + "5;" + std::string(20000, 'a') + "\r\nhello\r\n", "HPE_CHUNK_EXTENSIONS_OVERFLOW");
  std::string several = kChunked;
  for (int i = 0; i < 140; i++) several += "1;" + std::string(500, 'a') + "\r\nx\r\n";
  ExpectRefused(several, "HPE_CHUNK_EXTENSIONS_OVERFLOW");
  EXPECT_NE(Request(kChunked + "5;" + std::string(16000, 'a') + "\r\nhello\r\n0\r\n\r\n").find("body:hello end"),
            std::string::npos);
}

TEST(Http1Test, NothingFollowsAClose) {
  ExpectRefused(kGet + "Connection: close\r\n\r\n", "HPE_CLOSED_CONNECTION");
  EXPECT_EQ(Request(kGet + "Connection: close\r\n\r\n\r\n"), " GET / 1.1 Host=a Connection=close close end");
  EXPECT_EQ(Request(kGet + "Connection: close\r\n\r\n" + kGet + "\r\n", {.lenient = kLenientDataAfterClose}),
            " GET / 1.1 Host=a Connection=close close end GET / 1.1 Host=a keep end");
}

TEST(Http1Test, UpgradesOnlyWhenAsked) {
  std::string upgrade = kGet + "Connection: upgrade\r\nUpgrade: x\r\n\r\n";
  std::string head = " GET / 1.1 Host=a Connection=upgrade Upgrade=x keep upgrade";
  EXPECT_EQ(Request(upgrade + "rest", {.rule = BodyRule::kUpgrade}), head + " end upgraded");
  EXPECT_EQ(Request(upgrade + kGet + "\r\n"), head + " end GET / 1.1 Host=a keep end");
  EXPECT_EQ(Request("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\nrest", {.rule = BodyRule::kUpgrade}),
            " CONNECT a:443 1.1 Host=a keep upgrade end upgraded");
}

TEST(Http1Test, ReadsResponses) {
  EXPECT_EQ(Response("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", {.eof = true}),
            " 200(OK) 1.1 Content-Length=2 keep body:hi end eof");
  // Only what is HTTP/1.1 persists by itself (llhttp and Node.js think so too).
  EXPECT_EQ(Response("HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", {.eof = true}),
            " 200(OK) 2.0 Content-Length=2 close body:hi end eof");
  EXPECT_EQ(Response("HTTP/1.1 200 OK\r\n\r\nhi", {.eof = true}), " 200(OK) 1.1 close body:hi end eof");
  EXPECT_EQ(Response("HTTP/1.1 200 OK\r\n\r\n", {.eof = true}), " 200(OK) 1.1 close end eof");
  EXPECT_EQ(Response("HTTP/1.1 204\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"),
            " 204() 1.1 keep end 304(Not Modified) 1.1 Content-Length=5 keep end");
  EXPECT_EQ(Response("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
            " 100(Continue) 1.1 keep end 200(OK) 1.1 Content-Length=0 keep end");
  EXPECT_EQ(Response("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", {.rule = BodyRule::kNone}),
            " 200(OK) 1.1 Content-Length=9 keep end");
  EXPECT_EQ(Response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\nabc", {.eof = true}),
            " 200(OK) 1.1 Transfer-Encoding=chunked, gzip close body:abc end eof");
  EXPECT_EQ(Response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi", {.eof = true}),
            " 200(OK) 1.1 Content-Length=5 keep body:hi HPE_INVALID_EOF_STATE eof");
}

TEST(Http1Test, ResponsesMayFoldFieldsThatDoNotFrame) {
  EXPECT_EQ(Response("HTTP/1.1 204 x\r\nA: b;\r\n c\r\nD: e\r\n\r\n"), " 204(x) 1.1 A=b;\r\n c D=e keep end");
  EXPECT_EQ(Response("HTTP/1.1 204 x\r\nConnection: a,\r\n close\r\n\r\n"), " HPE_INVALID_HEADER_TOKEN");
  EXPECT_EQ(Response("HTTP/1.1 204 x\r\n A: b\r\n\r\n"), " HPE_INVALID_HEADER_TOKEN");
}

TEST(Http1Test, RefusesBadResponses) {
  for (const char* line : {"HTTP/1.1 2000 x", "HTTP/1.1 20 x", "HTTP/1.1 099 x", "HTTP/1.1  200 OK", "HTTP/1.1 abc"}) {
    EXPECT_TRUE(Response(std::string(line) + "\r\n\r\n").ends_with("HPE_INVALID_STATUS")) << line;
  }
  EXPECT_EQ(Response("HTTP/1.1 200 OK\nA: b\n\n"), " HPE_CR_EXPECTED");
  EXPECT_EQ(Response("XTTP/1.1"), " HPE_INVALID_CONSTANT");
  EXPECT_EQ(Response("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiextra"),
            " 200(OK) 1.1 Content-Length=2 keep body:hi end HPE_INVALID_CONSTANT");
}

TEST(Http1Test, LeniencyLetsPass) {
  EXPECT_EQ(Request(kGet + "A: \x01z\r\n\r\n", {.lenient = kLenientHeaders}), " GET / 1.1 Host=a A=\x01z keep end");
  EXPECT_EQ(Request("GET / HTTP/1.1\nHost: a\n\n", {.lenient = kLenientOptionalCrBeforeLf}),
            " GET / 1.1 Host=a keep end");
  EXPECT_EQ(Request(kChunked + "5  \r\nhello\r\n0\r\n\r\n", {.lenient = kLenientSpacesAfterChunkSize}),
            " POST / 1.1 Host=a Transfer-Encoding=chunked keep body:hello end");
  EXPECT_EQ(Request(kPost + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                    {.lenient = kLenientChunkedLength}),
            " POST / 1.1 Host=a Content-Length=5 Transfer-Encoding=chunked keep end");
}

TEST(Http1Test, ViewsPointIntoTheInputWhenItIsWhole) {
  Parser parser(Kind::kRequest);
  std::string text = kGet + "\r\n";
  std::string_view input = text;
  ASSERT_EQ(parser.Next(&input), Event::kHead);
  EXPECT_EQ(parser.head().target.data(), text.data() + 4);
  EXPECT_EQ(parser.head().headers.bytes, "Host: a\r\n");
  EXPECT_EQ(parser.head().headers.Find("host"), "a");
  EXPECT_EQ(parser.head().headers.Find("other"), std::nullopt);
}

TEST(Http1Test, TellsWhereItStands) {
  Parser parser(Kind::kRequest);
  EXPECT_FALSE(parser.in_message());
  std::string_view input = "GET / HT";
  EXPECT_EQ(parser.Next(&input), Event::kNeedMore);
  EXPECT_TRUE(parser.in_message());
  EXPECT_TRUE(parser.in_head());
  EXPECT_EQ(parser.Finish(), Event::kError);
  EXPECT_EQ(parser.error(), ErrorCode::kInvalidEofState);
}

TEST(Http1Test, KnowsMethodsAndPhrases) {
  EXPECT_EQ(MethodName(Method::kQuery), "QUERY");
  EXPECT_EQ(FindMethod("GET"), Method::kGet);
  EXPECT_EQ(FindMethod("get"), std::nullopt);
  EXPECT_EQ(StatusPhrase(404), "Not Found");
  EXPECT_EQ(StatusPhrase(299), "");
}

}  // namespace
}  // namespace gyre::codec::http1

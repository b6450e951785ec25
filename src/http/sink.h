// Sink: who gets the requests of a server core.
//
// All calls for a connection come between BeginTurn and EndTurn, on the loop's thread; a turn is what one read (or one
// time-out) brought. A sink may answer at once, inside OnRequest, or later; it may close the connection in any call.
//
// Thread: the loop's. Owner: whoever owns the Server; it outlives it.
#ifndef GYRE_HTTP_SINK_H_
#define GYRE_HTTP_SINK_H_

#include <string_view>

#include "base/result.h"
#include "codec/http1.h"

namespace gyre::http {

class Connection;

/// What becomes of a request whose head was just handed over.
enum class Verdict : uint8_t {
  kServe,    // its body follows by OnBody, its end by OnRequestEnd
  kUpgrade,  // the connection speaks another protocol from here: OnUpgrade follows, and no OnRequestEnd
};

class Sink {
 public:
  virtual void BeginTurn(Connection& connection) = 0;
  virtual void EndTurn(Connection& connection) = 0;

  /// The views in `head` hold during the call.
  virtual Verdict OnRequest(Connection& connection, const codec::http1::Head& head) = 0;
  virtual void OnBody(Connection& connection, std::string_view piece) = 0;
  virtual void OnRequestEnd(Connection& connection, const codec::http1::FieldBlock& trailers) = 0;
  /// `rest` came behind the request's head. The sink detaches or closes the connection.
  virtual void OnUpgrade(Connection& connection, std::string_view rest) = 0;

  /// What came could not be read as HTTP/1: `packet` is the input, of which `parsed` bytes were good. Nothing more is
  /// read; the sink answers and closes.
  virtual void OnParseError(Connection& connection, std::string_view packet, size_t parsed) = 0;
  /// All input as it came, after it was parsed; only when asked for. The connection may be closed.
  virtual void OnRawInput(Connection& connection, std::string_view input) = 0;
  /// The peer sends no more; no request is half-read.
  virtual void OnPeerEnd(Connection& connection) = 0;
  virtual void OnReadError(Connection& connection, const Error& error) = 0;
  /// What had to wait has been written.
  virtual void OnDrained(Connection& connection) = 0;
  virtual void OnWriteError(Connection& connection, const Error& error) = 0;
  /// Nothing was asked for the idle time; the sink closes the connection, or has reasons not to.
  virtual void OnIdle(Connection& connection) = 0;
  /// Closed, for whatever reason; the connection is gone afterwards.
  virtual void OnClosed(Connection& connection) = 0;

 protected:
  ~Sink() = default;
};

}  // namespace gyre::http

#endif  // GYRE_HTTP_SINK_H_

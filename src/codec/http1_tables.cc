#include "codec/http1.h"

namespace gyre::codec::http1 {

namespace {

constexpr std::string_view kMethods[] = {
    "DELETE", "GET", "HEAD", "POST", "PUT", "CONNECT", "OPTIONS", "TRACE", "COPY", "LOCK", "MKCOL", "MOVE",
    "PROPFIND", "PROPPATCH", "SEARCH", "UNLOCK", "BIND", "REBIND", "UNBIND", "ACL", "REPORT", "MKACTIVITY",
    "CHECKOUT", "MERGE", "M-SEARCH", "NOTIFY", "SUBSCRIBE", "UNSUBSCRIBE", "PATCH", "PURGE", "MKCALENDAR", "LINK",
    "UNLINK", "SOURCE", "QUERY",
};
static_assert(std::size(kMethods) == static_cast<size_t>(Method::kCount));

constexpr const char* kErrorNames[] = {
    "HPE_OK", "HPE_INTERNAL", "HPE_STRICT", "HPE_CR_EXPECTED", "HPE_LF_EXPECTED", "HPE_UNEXPECTED_CONTENT_LENGTH",
    "HPE_CLOSED_CONNECTION", "HPE_INVALID_METHOD", "HPE_INVALID_URL", "HPE_INVALID_CONSTANT", "HPE_INVALID_VERSION",
    "HPE_INVALID_HEADER_TOKEN", "HPE_INVALID_CONTENT_LENGTH", "HPE_INVALID_CHUNK_SIZE", "HPE_INVALID_STATUS",
    "HPE_INVALID_EOF_STATE", "HPE_INVALID_TRANSFER_ENCODING", "HPE_PAUSED_H2_UPGRADE", "HPE_HEADER_OVERFLOW",
    "HPE_CHUNK_EXTENSIONS_OVERFLOW",
};
static_assert(std::size(kErrorNames) == static_cast<size_t>(ErrorCode::kChunkExtensionsOverflow) + 1);

struct Phrase {
  int status;
  std::string_view text;
};
// The IANA registry, with the phrases that programs see as http.STATUS_CODES.
constexpr Phrase kPhrases[] = {
    {100, "Continue"}, {101, "Switching Protocols"}, {102, "Processing"}, {103, "Early Hints"}, {200, "OK"},
    {201, "Created"}, {202, "Accepted"}, {203, "Non-Authoritative Information"}, {204, "No Content"},
    {205, "Reset Content"}, {206, "Partial Content"}, {207, "Multi-Status"}, {208, "Already Reported"},
    {226, "IM Used"}, {300, "Multiple Choices"}, {301, "Moved Permanently"}, {302, "Found"}, {303, "See Other"},
    {304, "Not Modified"}, {305, "Use Proxy"}, {307, "Temporary Redirect"}, {308, "Permanent Redirect"},
    {400, "Bad Request"}, {401, "Unauthorized"}, {402, "Payment Required"}, {403, "Forbidden"}, {404, "Not Found"},
    {405, "Method Not Allowed"}, {406, "Not Acceptable"}, {407, "Proxy Authentication Required"},
    {408, "Request Timeout"}, {409, "Conflict"}, {410, "Gone"}, {411, "Length Required"},
    {412, "Precondition Failed"}, {413, "Payload Too Large"}, {414, "URI Too Long"},
    {415, "Unsupported Media Type"}, {416, "Range Not Satisfiable"}, {417, "Expectation Failed"},
    {418, "I'm a Teapot"}, {421, "Misdirected Request"}, {422, "Unprocessable Entity"}, {423, "Locked"},
    {424, "Failed Dependency"}, {425, "Too Early"}, {426, "Upgrade Required"}, {428, "Precondition Required"},
    {429, "Too Many Requests"}, {431, "Request Header Fields Too Large"}, {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"}, {501, "Not Implemented"}, {502, "Bad Gateway"}, {503, "Service Unavailable"},
    {504, "Gateway Timeout"}, {505, "HTTP Version Not Supported"}, {506, "Variant Also Negotiates"},
    {507, "Insufficient Storage"}, {508, "Loop Detected"}, {509, "Bandwidth Limit Exceeded"},
    {510, "Not Extended"}, {511, "Network Authentication Required"},
};

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); i++) {
    char c = text[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    if (c != lower[i]) return false;
  }
  return true;
}

}  // namespace

std::string_view MethodName(Method method) {
  size_t index = static_cast<size_t>(method);
  return index < std::size(kMethods) ? kMethods[index] : std::string_view();
}

std::optional<Method> FindMethod(std::string_view name) {
  for (size_t i = 0; i < std::size(kMethods); i++) {
    if (kMethods[i] == name) return static_cast<Method>(i);
  }
  return std::nullopt;
}

std::string_view StatusPhrase(int status) {
  for (const Phrase& phrase : kPhrases) {
    if (phrase.status == status) return phrase.text;
  }
  return {};
}

const char* ErrorName(ErrorCode code) { return kErrorNames[static_cast<size_t>(code)]; }

std::optional<std::string_view> FieldBlock::Find(std::string_view lower_case_name) const {
  for (const Field& field : fields) {
    if (EqualsIgnoringCase(name(field), lower_case_name)) return value(field);
  }
  return std::nullopt;
}

}  // namespace gyre::codec::http1

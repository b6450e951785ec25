// JSON text without V8.
#ifndef GYRE_BASE_JSON_H_
#define GYRE_BASE_JSON_H_

#include <string>
#include <string_view>

namespace gyre::base {

/// Appends `text` as a JSON string (RFC 8259 7). What is not ASCII is taken to be UTF-8 and stays as it is.
void AppendJsonString(std::string& out, std::string_view text);

}  // namespace gyre::base

#endif  // GYRE_BASE_JSON_H_

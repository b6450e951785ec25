// Numbers of JavaScript as integers of C++, where a cast alone would be undefined.
// Thread: any.
#ifndef GYRE_BASE_CLAMP_H_
#define GYRE_BASE_CLAMP_H_

#include <limits>

namespace gyre::base {

/// `value` without its fraction, at the nearest end of Int's range where it lies outside; NaN is 0.
template <typename Int>
constexpr Int ClampTo(double value) {
  if (!(value == value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<Int>::min())) return std::numeric_limits<Int>::min();
  if (value >= static_cast<double>(std::numeric_limits<Int>::max())) return std::numeric_limits<Int>::max();
  return static_cast<Int>(value);
}

}  // namespace gyre::base

#endif  // GYRE_BASE_CLAMP_H_

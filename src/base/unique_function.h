// UniqueFunction<Signature>: a callable that is moved, never copied. Small captures (two words) do not allocate.
#ifndef GYRE_BASE_UNIQUE_FUNCTION_H_
#define GYRE_BASE_UNIQUE_FUNCTION_H_

#include <functional>

namespace gyre::base {

template <class Signature>
using UniqueFunction = std::move_only_function<Signature>;

}  // namespace gyre::base

#endif  // GYRE_BASE_UNIQUE_FUNCTION_H_

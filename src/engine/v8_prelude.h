// Comes before every header of V8's (forced by the build with -include).
//
// The V8 library is compiled by GCC, this code by Clang. Clang honours V8_PRESERVE_MOST and would expect calling
// conventions that GCC's code does not keep, which corrupts registers on cppgc allocation. Defining it as
// nothing makes both sides agree.
#ifndef GYRE_ENGINE_V8_PRELUDE_H_
#define GYRE_ENGINE_V8_PRELUDE_H_

#include "v8config.h"

#undef V8_PRESERVE_MOST
#define V8_PRESERVE_MOST

#endif  // GYRE_ENGINE_V8_PRELUDE_H_

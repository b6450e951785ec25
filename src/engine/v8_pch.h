// The precompiled header of every unit that sees V8.
#ifndef GYRE_ENGINE_V8_PCH_H_
#define GYRE_ENGINE_V8_PCH_H_

#include "engine/v8_prelude.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <libplatform/libplatform.h>
#include <v8.h>

#endif  // GYRE_ENGINE_V8_PCH_H_

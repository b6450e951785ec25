// The list of what Gyre has: native halves and public modules. One line adds a module.
#ifndef GYRE_RUNTIME_MODULES_H_
#define GYRE_RUNTIME_MODULES_H_

#include <span>

namespace gyre::runtime {

/// What `require` and `import` accept with and without `node:`; the same as Node's module.builtinModules, in its order.
std::span<const char* const> PublicModules();
/// What only `node:NAME` reaches.
std::span<const char* const> SchemeOnlyModules();

/// Hands the native tables to the engine. Once, first thing in the process.
void RegisterNativeModules();

}  // namespace gyre::runtime

#endif  // GYRE_RUNTIME_MODULES_H_

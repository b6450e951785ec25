// process.env: an object whose properties are the environment.
#ifndef GYRE_MODULES_PROCESS_ENV_H_
#define GYRE_MODULES_PROCESS_ENV_H_

#include <string>
#include <vector>

#include "engine/js.h"

namespace gyre::modules {

/// The main thread's env: the environment of the process itself, under one lock.
v8::MaybeLocal<v8::Object> CreateEnv(Js& js);
/// A worker's env: a copy that nobody else sees, made of name, value, name, value ...
v8::MaybeLocal<v8::Object> CreateOwnEnv(Js& js, std::vector<std::string> entries);
/// { NAME: value } at this moment: what a worker starts from.
v8::Local<v8::Object> CreateSharedEnvCopy(Js& js);

/// "NAME=value" of the process, without JavaScript. Empty if another thread is changing it just now.
std::vector<std::string> EnvironmentEntries();

/// What process.title writes over; the arguments must have been copied before it is set. Main thread, at the start.
void SetCommandLine(int argc, char** argv);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_PROCESS_ENV_H_

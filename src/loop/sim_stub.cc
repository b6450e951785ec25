#include "loop/backend.h"
namespace gyre::loop {
Result<std::unique_ptr<Backend>> MakeSimBackend(Loop&, const SimOptions*) { return MakeEpollBackend(); }
}

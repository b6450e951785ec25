#include "loop/backend.h"
#include "loop/uring_files.h"
namespace gyre::loop {
Result<std::unique_ptr<Backend>> MakeUringBackend(Loop&) { return MakeEpollBackend(); }
Result<std::unique_ptr<Backend>> MakeSimBackend(Loop&, const SimOptions*) { return MakeEpollBackend(); }
std::unique_ptr<UringFiles> UringFiles::Create(Loop&) { return nullptr; }
}

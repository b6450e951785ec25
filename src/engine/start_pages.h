// Memory for the start of a program: V8's first heap chunks come from one mapping of huge pages. A start touches some 550 of
// their small pages, each with a fault of its own; the huge ones are two faults, and need fewer entries of the TLB later on.
#ifndef GYRE_ENGINE_START_PAGES_H_
#define GYRE_ENGINE_START_PAGES_H_

#include <memory>

#include <v8-platform.h>

namespace gyre::engine {

/// An allocator that gives the first heap chunks from that mapping, and all else from `base`, which frees both. `base` has to
/// outlive it. Any thread.
std::unique_ptr<v8::PageAllocator> NewStartPageAllocator(v8::PageAllocator* base);

}  // namespace gyre::engine

#endif  // GYRE_ENGINE_START_PAGES_H_

// The sim backend: a loop on virtual time, with a seed, that injects what networks and kernels do on bad days. For
// tests only. The descriptors are real; their readiness is reported late and in another order, and system calls move
// fewer bytes or fail. Thread: the loop's. Faults apply to calls made while the loop runs, on its thread.
#ifndef GYRE_LOOP_SIM_H_
#define GYRE_LOOP_SIM_H_

#include <cstdint>

namespace gyre::loop {

// Chances are in percent of the calls concerned.
struct SimOptions {
  uint64_t seed = 1;
  // Events are reported up to so many virtual milliseconds after they happened.
  uint32_t max_delay_ms = 2;
  // Events of the same moment come in random order.
  bool reorder = true;
  uint32_t short_transfer = 20;  // reads and writes move fewer bytes
  uint32_t would_block = 10;     // EAGAIN although ready
  uint32_t no_buffers = 0;       // ENOBUFS on sends
  uint32_t reset = 0;            // ECONNRESET on reads, EPIPE on writes
  uint32_t no_descriptors = 0;   // EMFILE on accept, socket, open
  // Before time jumps, real time that peers outside of the loop get to act.
  uint32_t grace_ms = 1;
};

}  // namespace gyre::loop

#endif  // GYRE_LOOP_SIM_H_

// FileJob: the carrier of a file operation through the three paths (at once, ring, fs lane) to its completion. fs_ops.h
// builds it; users only need Submit() there and Cancel() here.
// Thread: the loop's, except Work(), which runs on the fs lane.
#ifndef GYRE_LOOP_FS_JOB_H_
#define GYRE_LOOP_FS_JOB_H_

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "base/unique_function.h"
#include "loop/lanes.h"
#include "loop/loop.h"

struct io_uring_sqe;

namespace gyre::loop::fs {

using OpId = uint64_t;

struct FileOpTraits {
  const char* kind = "";
  bool try_fast = false;  // has TryFast(): may finish without blocking
  bool on_ring = false;   // has Prepare() and Finish(): io_uring knows the operation
};

// What Prepare() fills in.
struct RingRequest {
  io_uring_sqe* sqe;
};

class FileJob : public LaneJob, public Completion {
 public:
  explicit FileJob(const FileOpTraits& traits) : traits_(traits) {}
  const FileOpTraits& traits() const { return traits_; }
  OpId id() const { return id_; }

  // True if the result is there.
  virtual bool TryFast() = 0;
  virtual bool Prepare(RingRequest& request) = 0;
  virtual void Finish(int result) = 0;
  // Sets the result to ECANCELED.
  virtual void SetCanceled() = 0;
  // Hands the result to the completion function.
  virtual void Report() = 0;

  // LaneJob
  void Done(Result<void> result) final;
  // Completion: of a job that finished at once
  void Complete() final;
  void Drop() final;

 private:
  friend OpId SubmitJob(Loop& loop, std::unique_ptr<FileJob> job);
  friend class ::gyre::loop::UringFiles;
  const FileOpTraits& traits_;
  Loop* loop_ = nullptr;
  OpId id_ = 0;
};

OpId SubmitJob(Loop& loop, std::unique_ptr<FileJob> job);
// Cancels an operation that has not begun: it completes with ECANCELED. False: too late.
bool Cancel(Loop& loop, OpId id);

template <class Op>
class FileJobOf final : public FileJob {
 public:
  using Value = typename Op::Value;
  FileJobOf(Op op, base::UniqueFunction<void(Result<Value>)> done)
      : FileJob(Op::kTraits), op_(std::move(op)), done_(std::move(done)) {}

  bool TryFast() override {
    if constexpr (Op::kTraits.try_fast) result_ = op_.TryFast();
    return result_.has_value();
  }
  bool Prepare(RingRequest& request) override {
    if constexpr (Op::kTraits.on_ring) return op_.Prepare(request);
    return false;
  }
  void Finish(int result) override {
    if constexpr (Op::kTraits.on_ring) result_ = op_.Finish(result);
  }
  void Work() override { result_ = op_.Run(); }
  void SetCanceled() override { result_ = Err(ECANCELED, Op::kTraits.kind); }
  void Report() override { done_(std::move(*result_)); }

 private:
  Op op_;
  base::UniqueFunction<void(Result<Value>)> done_;
  std::optional<Result<Value>> result_;
};

}  // namespace gyre::loop::fs

#endif  // GYRE_LOOP_FS_JOB_H_

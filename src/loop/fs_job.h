// FileJob: the carrier of a file operation through the three paths (at once, ring, fs lane) to its completion. fs_ops.h
// builds it and says what an operation is; users only need Submit() there and Cancel() here.
// Thread: the loop's, except Work(), which runs on the fs lane.
#ifndef GYRE_LOOP_FS_JOB_H_
#define GYRE_LOOP_FS_JOB_H_

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "base/unique_function.h"
#include "loop/fs_changes.h"
#include "loop/lanes.h"
#include "loop/loop.h"

struct io_uring_sqe;

namespace gyre::loop::fs {

using OpId = uint64_t;

class FileJob : public LaneJob, public Completion {
 public:
  OpId id() const { return id_; }

  virtual const char* kind() const = 0;
  // True if the result is there.
  virtual bool TryFast(const FileChanges& changes) = 0;
  // Whether there is a TryFast(): the operation looks at files, and does not wait for the disk as a rule.
  virtual bool Looks() const = 0;
  virtual ChangeExtent Changes() const = 0;
  // Its descriptor, or -1 where it goes by names.
  virtual int fd() const = 0;
  // False where io_uring does not know the operation.
  virtual bool OnRing() const = 0;
  virtual void Prepare(io_uring_sqe& sqe) = 0;
  virtual void Finish(int result) = 0;
  // Sets the result to ECANCELED.
  virtual void SetCanceled() = 0;
  // Hands the result to the completion function.
  virtual void Report() = 0;

  const FileChanges::Mark& change() const { return change_; }

  // The ring cannot do it: a thread can, and finds the right error too.
  static void MoveToLane(std::unique_ptr<FileJob> job);
  // It is over; the result is there. Reports and deletes it.
  static void End(std::unique_ptr<FileJob> job);

  // LaneJob
  void Done(Result<void> result) final;
  // Completion: of a job that finished at once
  void Complete() final;
  void Drop() final;

 private:
  friend OpId SubmitJob(Loop& loop, std::unique_ptr<FileJob> job);
  void BeginChange(bool on_lane);
  void EndChange();

  Loop* loop_ = nullptr;
  OpId id_ = 0;
  FileChanges::Mark change_;
  bool change_on_lane_ = false;
};

OpId SubmitJob(Loop& loop, std::unique_ptr<FileJob> job);
// Cancels an operation that has not begun: it completes with ECANCELED. False: too late.
bool Cancel(Loop& loop, OpId id);

// What Err() of a failed operation says.
template <class Op>
Error ErrorOf(const Op& op, int err) {
  Error error = {.err = err, .syscall = Op::kKind};
  if constexpr (requires { op.Syscall(); }) error.syscall = op.Syscall();
  if constexpr (requires { op.target; }) {  // a symbolic link
    error.path = op.target;
    error.dest = op.path;
  } else if constexpr (requires { op.path; }) {
    error.path = op.path;
    if constexpr (requires { op.dest; }) error.dest = op.dest;
  }
  return error;
}

template <class Op>
class FileJobOf final : public FileJob {
 public:
  using Value = typename Op::Value;
  static constexpr bool kHasFast = requires(const Op& op, const FileChanges& changes) { op.TryFast(changes); };
  static constexpr bool kOnRing = requires(const Op& op, io_uring_sqe& sqe) { op.Prepare(sqe); };

  FileJobOf(Op op, base::UniqueFunction<void(Result<Value>)> done) : op_(std::move(op)), done_(std::move(done)) {}

  const char* kind() const override { return Op::kKind; }
  bool TryFast(const FileChanges& changes) override {
    if constexpr (kHasFast) result_ = op_.TryFast(changes);
    return result_.has_value();
  }
  bool Looks() const override { return kHasFast; }
  ChangeExtent Changes() const override {
    if constexpr (requires { op_.Changes(); }) return op_.Changes();
    return ChangeExtent::kNothing;
  }
  int fd() const override {
    if constexpr (requires { op_.fd; }) return op_.fd;
    return -1;
  }
  bool OnRing() const override { return kOnRing; }
  void Prepare(io_uring_sqe& sqe) override {
    if constexpr (kOnRing) op_.Prepare(sqe);
  }
  void Finish(int result) override {
    if constexpr (kOnRing) {
      if (result < 0) {
        result_ = Err(ErrorOf(op_, -result));
      } else if constexpr (requires { op_.Finish(result); }) {
        result_ = op_.Finish(result);
      } else if constexpr (std::is_void_v<Value>) {
        result_ = Result<void>();
      } else {
        result_ = Value(result);
      }
    }
  }
  void Work() override { result_ = op_.Run(); }
  void SetCanceled() override { result_ = Err(ECANCELED, Op::kKind); }
  void Report() override { done_(std::move(*result_)); }

 private:
  Op op_;
  base::UniqueFunction<void(Result<Value>)> done_;
  std::optional<Result<Value>> result_;
};

}  // namespace gyre::loop::fs

#endif  // GYRE_LOOP_FS_JOB_H_

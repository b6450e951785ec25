// A histogram of 64-bit values with a fixed number of significant figures: a high dynamic range histogram.
// Values of one magnitude share buckets whose width is the resolution asked for, so recording is constant
// work and the memory depends on the largest value, not on how many there are.
//
// Thread: one at a time. Owner: whoever made it; several wrappers share it through a shared_ptr.
#ifndef GYRE_MODULES_PERF_HOOKS_HISTOGRAM_H_
#define GYRE_MODULES_PERF_HOOKS_HISTOGRAM_H_

#include <cstdint>
#include <functional>
#include <vector>

namespace gyre::modules {

class Histogram {
 public:
  /// `lowest` >= 1, `highest` >= 2 * `lowest`, `figures` 1 to 5.
  Histogram(int64_t lowest, int64_t highest, int figures);

  /// False, and counted as exceeding, if the value is out of range.
  bool Record(int64_t value);
  /// Records the time since the last call in nanoseconds and returns it; the first call only starts the
  /// clock.
  uint64_t RecordDelta(uint64_t now_ns);
  /// Adds what `other` holds. Returns how many values were out of range here.
  void Add(const Histogram& other);
  void Reset();

  uint64_t count() const { return count_; }
  uint64_t exceeds() const { return exceeds_; }
  int64_t Min() const;
  int64_t Max() const;
  double Mean() const;
  double StandardDeviation() const;
  int64_t Percentile(double percentile) const;
  /// Calls `visit(percentile, value)` for 0, 50, 75, 87.5, ... as far as values reach, and for 100.
  void ForEachPercentile(const std::function<void(double, int64_t)>& visit) const;

 private:
  int BucketOf(int64_t value) const;
  size_t IndexOf(int64_t value) const;
  int64_t ValueAt(size_t index) const;
  int64_t RangeOf(int64_t value) const;
  int64_t LowestEquivalent(int64_t value) const;
  int64_t HighestEquivalent(int64_t value) const { return LowestEquivalent(value) + (RangeOf(value) - 1); }
  int64_t MedianEquivalent(int64_t value) const { return LowestEquivalent(value) + (RangeOf(value) >> 1); }
  void Note(int64_t value, uint64_t times);

  int unit_magnitude_;
  int half_magnitude_;
  int64_t sub_bucket_count_;
  int64_t sub_bucket_half_;
  int64_t sub_bucket_mask_;
  std::vector<uint64_t> counts_;  // grown as needed
  size_t limit_;                  // how many there can be
  uint64_t count_ = 0;
  uint64_t exceeds_ = 0;
  int64_t min_ = INT64_MAX;
  int64_t max_ = 0;
  uint64_t previous_ns_ = 0;
};

}  // namespace gyre::modules

#endif  // GYRE_MODULES_PERF_HOOKS_HISTOGRAM_H_

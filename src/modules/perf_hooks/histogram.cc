#include "modules/perf_hooks/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gyre::modules {

Histogram::Histogram(int64_t lowest, int64_t highest, int figures) {
  auto single_unit_limit = static_cast<int64_t>(2 * std::pow(10, figures));
  int magnitude = static_cast<int>(std::ceil(std::log2(static_cast<double>(single_unit_limit))));
  half_magnitude_ = std::max(magnitude, 1) - 1;
  unit_magnitude_ = static_cast<int>(std::bit_width(static_cast<uint64_t>(lowest))) - 1;
  // Sub-buckets of the widest unit still fit 62 bits.
  unit_magnitude_ = std::min(unit_magnitude_, 61 - half_magnitude_);
  sub_bucket_count_ = int64_t{1} << (half_magnitude_ + 1);
  sub_bucket_half_ = sub_bucket_count_ / 2;
  sub_bucket_mask_ = (sub_bucket_count_ - 1) << unit_magnitude_;
  limit_ = IndexOf(highest) + 1;
  // Whole buckets: all that look like the highest are in range.
  limit_ = (limit_ + sub_bucket_half_ - 1) / sub_bucket_half_ * sub_bucket_half_;
}

int Histogram::BucketOf(int64_t value) const {
  int bits = std::bit_width(static_cast<uint64_t>(value | sub_bucket_mask_));
  return bits - unit_magnitude_ - (half_magnitude_ + 1);
}

size_t Histogram::IndexOf(int64_t value) const {
  int bucket = BucketOf(value);
  int64_t sub = value >> (bucket + unit_magnitude_);
  return static_cast<size_t>((int64_t{bucket + 1} << half_magnitude_) + (sub - sub_bucket_half_));
}

int64_t Histogram::ValueAt(size_t index) const {
  int bucket = static_cast<int>(index >> half_magnitude_) - 1;
  int64_t sub = (static_cast<int64_t>(index) & (sub_bucket_half_ - 1)) + sub_bucket_half_;
  if (bucket < 0) {
    sub -= sub_bucket_half_;
    bucket = 0;
  }
  return sub << (bucket + unit_magnitude_);
}

int64_t Histogram::RangeOf(int64_t value) const {
  int bucket = BucketOf(value);
  int64_t sub = value >> (bucket + unit_magnitude_);
  int adjusted = sub >= sub_bucket_count_ ? bucket + 1 : bucket;
  return int64_t{1} << (unit_magnitude_ + adjusted);
}

int64_t Histogram::LowestEquivalent(int64_t value) const {
  int shift = BucketOf(value) + unit_magnitude_;
  return (value >> shift) << shift;
}

void Histogram::Note(int64_t value, uint64_t times) {
  size_t index = IndexOf(value);
  if (index >= counts_.size()) counts_.resize(index + 1);
  counts_[index] += times;
  count_ += times;
  if (value != 0) min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

bool Histogram::Record(int64_t value) {
  if (value < 0 || IndexOf(value) >= limit_) {
    exceeds_++;
    return false;
  }
  Note(value, 1);
  return true;
}

uint64_t Histogram::RecordDelta(uint64_t now_ns) {
  uint64_t delta = 0;
  if (previous_ns_ > 0) {
    delta = now_ns - previous_ns_;
    Record(static_cast<int64_t>(delta));
  }
  previous_ns_ = now_ns;
  return delta;
}

void Histogram::Add(const Histogram& other) {
  exceeds_ += other.exceeds_;
  for (size_t i = 0; i < other.counts_.size(); i++) {
    if (other.counts_[i] == 0) continue;
    int64_t value = other.ValueAt(i);
    if (IndexOf(value) < limit_) {
      Note(value, other.counts_[i]);
    } else {
      exceeds_ += other.counts_[i];
    }
  }
  if (previous_ns_ == 0 || other.previous_ns_ > previous_ns_) previous_ns_ = other.previous_ns_;
}

void Histogram::Reset() {
  counts_.clear();
  count_ = 0;
  exceeds_ = 0;
  min_ = INT64_MAX;
  max_ = 0;
  previous_ns_ = 0;
}

int64_t Histogram::Min() const {
  if (!counts_.empty() && counts_[0] > 0) return 0;
  return min_ == INT64_MAX ? INT64_MAX : LowestEquivalent(min_);
}

int64_t Histogram::Max() const { return max_ == 0 ? 0 : HighestEquivalent(max_); }

double Histogram::Mean() const {
  if (count_ == 0) return std::nan("");
  double total = 0;
  for (size_t i = 0; i < counts_.size(); i++) {
    if (counts_[i] > 0) total += static_cast<double>(counts_[i]) * static_cast<double>(MedianEquivalent(ValueAt(i)));
  }
  return total / static_cast<double>(count_);
}

double Histogram::StandardDeviation() const {
  if (count_ == 0) return std::nan("");
  double mean = Mean();
  double total = 0;
  for (size_t i = 0; i < counts_.size(); i++) {
    if (counts_[i] == 0) continue;
    double deviation = static_cast<double>(MedianEquivalent(ValueAt(i))) - mean;
    total += deviation * deviation * static_cast<double>(counts_[i]);
  }
  return std::sqrt(total / static_cast<double>(count_));
}

int64_t Histogram::Percentile(double percentile) const {
  double requested = std::min(percentile, 100.0);
  auto wanted = static_cast<uint64_t>((requested / 100) * static_cast<double>(count_) + 0.5);
  wanted = std::max<uint64_t>(wanted, 1);
  uint64_t total = 0;
  for (size_t i = 0; i < counts_.size(); i++) {
    total += counts_[i];
    if (total >= wanted) {
      int64_t value = ValueAt(i);
      return percentile == 0 ? LowestEquivalent(value) : HighestEquivalent(value);
    }
  }
  return 0;
}

void Histogram::ForEachPercentile(const std::function<void(double, int64_t)>& visit) const {
  double next = 0;
  uint64_t total = 0;
  int64_t value = 0;
  for (size_t i = 0; i < counts_.size() && total < count_; i++) {
    if (counts_[i] == 0) continue;
    total += counts_[i];
    value = ValueAt(i);
    double reached = 100.0 * static_cast<double>(total) / static_cast<double>(count_);
    while (next <= reached && next < 100) {
      visit(next, value);
      // Each step halves what is left to 100.
      double halvings = std::floor(std::log2(100 / (100 - next))) + 1;
      next += 100 / std::pow(2, halvings);
      if (total >= count_) break;
    }
  }
  visit(100, value);
}

}  // namespace gyre::modules

#include "broker/broker_stats.h"

#include <fmt/core.h>

#include <algorithm>

namespace apogee {
namespace {

constexpr std::int64_t kDayMs = 24 * 3600 * std::int64_t{1000};

}  // namespace

BrokerStats::BrokerStats(Clock& clock) : clock_(clock), day_(clock.WallMs() / kDayMs) {
  Sample();
}

void BrokerStats::Sample() {
  MutexLock lock(mu_);
  points_[samples_ % points_.size()] = {clock_.MonotonicMs(), put(), got()};
  ++samples_;
  // A clock set back makes no morning: the day counted last goes on.
  const std::int64_t day = clock_.WallMs() / kDayMs;
  if (day <= day_) return;
  mornings_ = {mornings_.put_today, put(), mornings_.got_today, got()};
  day_ = day;
}

BrokerStats::Mornings BrokerStats::mornings() const {
  MutexLock lock(mu_);
  return mornings_;
}

std::string BrokerStats::PutRates() const {
  MutexLock lock(mu_);
  return Rates(&Point::put);
}

std::string BrokerStats::GotRates() const {
  MutexLock lock(mu_);
  return Rates(&Point::got);
}

std::string BrokerStats::Rates(std::int64_t Point::* number) const {
  std::string text;
  const Point& newest = points_[(samples_ - 1) % points_.size()];
  for (const std::size_t seconds : {std::size_t{10}, std::size_t{60}, std::size_t{600}}) {
    const std::size_t back = std::min({seconds, samples_ - 1, points_.size() - 1});
    const Point& oldest = points_[(samples_ - 1 - back) % points_.size()];
    const auto ms = static_cast<double>(newest.at_ms - oldest.at_ms);
    const auto count = static_cast<double>(newest.*number - oldest.*number);
    if (!text.empty()) text += ' ';
    text += fmt::format("{:.1f}", ms > 0 ? count * 1000.0 / ms : 0.0);
  }
  return text;
}

}  // namespace apogee

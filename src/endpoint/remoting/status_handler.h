// Code 28: how the broker is doing, as mqadmin's clusterList and brokerStatus read it.
#pragma once

#include <cstdint>

#include "broker/broker_stats.h"
#include "broker/queue_query.h"
#include "endpoint/remoting/pooled_handler.h"
#include "env/clock.h"

namespace apogee {

class StatusHandler : public PooledHandler {
 public:
  // Made when the broker boots: it runs since then. All must outlive the handler.
  StatusHandler(BrokerStats& stats, const QueueQuery& query, Clock& clock,
                std::int64_t boot_time_ms, WorkPool& pool);

  void RegisterWith(BrokerHandler& broker);

 protected:
  Result<Reply> Answer(const OwnedRequest& request) override;

 private:
  const BrokerStats& stats_;
  const QueueQuery& query_;
  Clock& clock_;
  const std::int64_t boot_time_ms_;
  const std::int64_t boot_monotonic_ms_;
};

}  // namespace apogee

// Who is online: consumer groups with their members and subscriptions, and producer groups, as
// heartbeats tell.
//
// Subscriptions are kept per client: a pull is answered by the asking client's own subscription.
// Members leave by unregistering, by their connection's end, or after 120 s of silence. Every
// change of members or topics is told to all members of the group at once (the newcomer included),
// unless the group or broker switched it off or broadcasts. Threads: any. Notices are sent with no
// lock held.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "broker/client_handle.h"
#include "env/clock.h"
#include "message/subscription.h"

namespace apogee {

enum class ConsumeType { kActively, kPassively, kPop };
enum class MessageModel { kBroadcasting, kClustering };
enum class ConsumeFrom { kLast, kLastAndMinAtFirst, kMin, kMax, kFirst, kTimestamp };

struct ConsumerHeartbeat {
  std::string group;
  ConsumeType consume_type = ConsumeType::kPassively;
  MessageModel model = MessageModel::kClustering;
  ConsumeFrom from = ConsumeFrom::kLast;
  std::vector<Subscription> subscriptions;
  bool unit_mode = false;
};

struct ConsumerMember {
  std::string client_id;
  std::shared_ptr<ClientHandle> client;
  std::int64_t last_seen_ms = 0;     // Monotonic.
  bool subscriptions_known = false;  // It has sent them, on this connection.
  std::map<std::string, std::shared_ptr<const Subscription>, std::less<>> subscriptions;
};

struct ConsumerGroupView {
  ConsumeType consume_type = ConsumeType::kPassively;
  MessageModel model = MessageModel::kClustering;
  ConsumeFrom from = ConsumeFrom::kLast;
  std::vector<ConsumerMember> members;
};

class ConsumerGroups {
 public:
  // `notify` = notifyConsumerIdsChangedEnable of the broker.
  ConsumerGroups(Clock& clock, bool notify);

  // Returns true when members or topics changed (and notices went out, if `notify_group`).
  bool Register(const ConsumerHeartbeat& heartbeat, std::string_view client_id,
                const std::shared_ptr<ClientHandle>& client, bool notify_group);
  // A heartbeat that leaves subscriptions as they are (heartbeat V2). False when none are known for
  // the client in the group, so that it has to send the full form; it is a member all the same.
  bool Refresh(const ConsumerHeartbeat& heartbeat, std::string_view client_id,
               const std::shared_ptr<ClientHandle>& client, bool notify_group);
  void Unregister(std::string_view group, std::string_view client_id, const ClientHandle& client);
  void RegisterProducer(std::string_view group, std::string_view client_id,
                        const std::shared_ptr<ClientHandle>& client);
  void UnregisterProducer(std::string_view group, const ClientHandle& client);
  // The connection has ended: it leaves every group.
  void OnClientClosed(const ClientHandle& client);
  // Removes and closes what has been silent for `limit_ms`.
  void ExpireSilent(std::int64_t limit_ms = 120'000);

  bool Online(std::string_view group) const;
  std::vector<std::string> ClientIds(std::string_view group) const;  // Each once, sorted.
  std::optional<ConsumerGroupView> View(std::string_view group) const;
  std::vector<std::string> GroupsSubscribing(std::string_view topic) const;

  // The asking client's subscription of the topic; when its connection never told any for the
  // group, another member's. nullptr when nobody of the group subscribes.
  struct Subscribed {
    bool group_online = false;
    MessageModel model = MessageModel::kClustering;
    std::shared_ptr<const Subscription> subscription;
  };
  Subscribed FindSubscription(std::string_view group, std::string_view topic,
                              std::uint64_t client) const;

 private:
  struct Group {
    ConsumeType consume_type = ConsumeType::kPassively;
    MessageModel model = MessageModel::kClustering;
    ConsumeFrom from = ConsumeFrom::kLast;
    bool notify = true;                               // As the last heartbeat's group had it.
    std::map<std::uint64_t, ConsumerMember> members;  // By ClientHandle::id.
  };
  struct Producer {
    std::string client_id;
    std::shared_ptr<ClientHandle> client;
    std::int64_t last_seen_ms = 0;
  };
  // The member of a heartbeat, new or seen again; the heartbeat's view of the group is taken.
  ConsumerMember& Seen(const ConsumerHeartbeat& heartbeat, std::string_view client_id,
                       const std::shared_ptr<ClientHandle>& client, bool notify_group, bool* joined)
      AP_REQUIRES(mu_);
  // What an operator should know of a group whose members changed: members that disagree.
  std::string Complaint(const Group& group, const ConsumerMember& changed) const AP_REQUIRES(mu_);
  void Notify(std::string_view group) const AP_EXCLUDES(mu_);

  Clock& clock_;
  const bool notify_;
  mutable Mutex mu_;
  std::map<std::string, Group, std::less<>> groups_ AP_GUARDED_BY(mu_);
  std::map<std::string, std::map<std::uint64_t, Producer>, std::less<>> producers_
      AP_GUARDED_BY(mu_);
};

}  // namespace apogee

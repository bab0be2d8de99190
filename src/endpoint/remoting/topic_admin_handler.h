// Codes 17, 18, 21, 202, 215, 305 and 351: topics, as administrators and slaves see them.
#pragma once

#include "broker/identity.h"
#include "broker/topic_admin.h"
#include "broker/topic_table.h"
#include "endpoint/remoting/pooled_handler.h"

namespace apogee {

class TopicAdminHandler : public PooledHandler {
 public:
  // All must outlive the handler.
  TopicAdminHandler(TopicAdmin& admin, TopicTable& topics, const MessageStore& store,
                    const BrokerIdentity& identity, WorkPool& pool);

  void RegisterWith(BrokerHandler& broker);

 protected:
  Result<Reply> Answer(const OwnedRequest& request) override;

 private:
  Result<Reply> Update(const Fields& fields);
  Result<Reply> UpdateAll(std::string_view body);
  Result<Reply> Delete(const Fields& fields);
  Result<Reply> All(const Fields& fields) const;
  Result<Reply> One(const Fields& fields) const;
  Result<Reply> Stats(const Fields& fields) const;
  // What an administrator was told is kept, is on the disk.
  Result<Reply> Kept(const Status& changed);

  TopicAdmin& admin_;
  TopicTable& topics_;
  const MessageStore& store_;
  const BrokerIdentity& identity_;
};

}  // namespace apogee

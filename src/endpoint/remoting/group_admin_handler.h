// Codes 200, 201, 207, 225 and 352: consumer groups, as administrators and slaves see them.
#pragma once

#include "broker/group_table.h"
#include "broker/topic_admin.h"
#include "endpoint/remoting/pooled_handler.h"

namespace apogee {

class GroupAdminHandler : public PooledHandler {
 public:
  // All must outlive the handler.
  GroupAdminHandler(TopicAdmin& admin, GroupTable& groups, WorkPool& pool)
      : PooledHandler(pool), admin_(admin), groups_(groups) {}

  void RegisterWith(BrokerHandler& broker);

 protected:
  Result<Reply> Answer(const OwnedRequest& request) override;

 private:
  Result<Reply> Update(std::string_view body);
  Result<Reply> UpdateAll(std::string_view body);
  Result<Reply> Delete(const Fields& fields);
  Result<Reply> All(const Fields& fields) const;
  Result<Reply> One(const Fields& fields);
  Result<Reply> Kept(const Status& changed);

  TopicAdmin& admin_;
  GroupTable& groups_;
};

}  // namespace apogee

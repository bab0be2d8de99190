// The response codes of RocketMQ's remoting protocol (remoting reference §3): the numbers
// that 5.5.0 gives, without those that nothing has ever sent.
#pragma once

#include <cstdint>
#include <string_view>

namespace apogee {

// ResponseCode::kSuccess is an integer as it stands in a command.
struct ResponseCode {
  enum : std::int32_t {
    kSuccess = 0,
    kSystemError = 1,
    kSystemBusy = 2,
    kRequestCodeNotSupported = 3,
    kTransactionFailed = 4,
    kFlushDiskTimeout = 10,
    kSlaveNotAvailable = 11,
    kFlushSlaveTimeout = 12,
    kMessageIllegal = 13,
    kServiceNotAvailable = 14,
    kVersionNotSupported = 15,
    kNoPermission = 16,
    kTopicNotExist = 17,
    kTopicExistAlready = 18,
    kPullNotFound = 19,
    kPullRetryImmediately = 20,
    kPullOffsetMoved = 21,
    kQueryNotFound = 22,
    kSubscriptionParseFailed = 23,
    kSubscriptionNotExist = 24,
    kSubscriptionNotLatest = 25,
    kSubscriptionGroupNotExist = 26,
    kFilterDataNotExist = 27,
    kFilterDataNotLatest = 28,
    kInvalidParameter = 29,
    kNoBuyerId = 204,
    kNotInCurrentUnit = 205,
    kConsumerNotOnline = 206,
    kConsumeMsgTimeout = 207,
    kNoMessage = 208,
    kPollingFull = 209,
    kPollingTimeout = 210,
    kBrokerNotExist = 211,
    kBrokerDispatchNotComplete = 212,
    kBroadcastConsumption = 213,
    kFlowControl = 215,
    kNotLeaderForQueue = 501,
    kIllegalOperation = 604,
    kGoAway = 1500,
    kControllerFencedMasterEpoch = 2000,
    kControllerFencedSyncStateSetEpoch = 2001,
    kControllerInvalidMaster = 2002,
    kControllerInvalidReplicas = 2003,
    kControllerMasterNotAvailable = 2004,
    kControllerInvalidRequest = 2005,
    kControllerBrokerNotAlive = 2006,
    kControllerNotLeader = 2007,
    kControllerBrokerMetadataNotExist = 2008,
    kControllerInvalidCleanBrokerMetadata = 2009,
    kControllerBrokerNeedToBeRegistered = 2010,
    kControllerMasterStillExist = 2011,
    kControllerElectMasterFailed = 2012,
    kControllerAlterSyncStateSetFailed = 2013,
    kControllerBrokerIdInvalid = 2014,
    kControllerJraftInternalError = 2015,
    kControllerBrokerLiveInfoNotExists = 2016,
    kLmqQuotaExceeded = 2017,
    kLiteSubscriptionQuotaExceeded = 2018,
    kUserNotExist = 3001,
    kPolicyNotExist = 3002,
  };
};

// "SYSTEM_ERROR"; empty for a number without a name.
std::string_view ResponseCodeName(std::int32_t code);

}  // namespace apogee

// Bits of a message's sysFlag and of a pull request's (RocketMQ's MessageSysFlag, PullSysFlag).
#pragma once

#include <cstdint>

namespace apogee {

inline constexpr std::int32_t kSysFlagCompressed = 0x1;
inline constexpr std::int32_t kSysFlagMultiTags = 0x2;
inline constexpr std::int32_t kSysFlagTransactionMask = 0xC;
inline constexpr std::int32_t kSysFlagTransactionPrepared = 0x4;
inline constexpr std::int32_t kSysFlagTransactionCommit = 0x8;
inline constexpr std::int32_t kSysFlagTransactionRollback = 0xC;
inline constexpr std::int32_t kSysFlagBornHostV6 = 0x10;
inline constexpr std::int32_t kSysFlagStoreHostV6 = 0x20;
inline constexpr std::int32_t kSysFlagNeedsUnwrap = 0x40;
inline constexpr std::int32_t kSysFlagInnerBatch = 0x80;

inline constexpr std::int32_t kPullFlagCommitOffset = 0x1;
inline constexpr std::int32_t kPullFlagSuspend = 0x2;
inline constexpr std::int32_t kPullFlagSubscription = 0x4;
inline constexpr std::int32_t kPullFlagClassFilter = 0x8;
inline constexpr std::int32_t kPullFlagLitePull = 0x10;

}  // namespace apogee

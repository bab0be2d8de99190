// The version numbers that commands carry: places in a list that has one SNAPSHOT and one release a
// version (remoting reference §1.7).
#pragma once

#include <cstdint>
#include <string>

namespace apogee {

// Tests against a peer's version take a number as it came: a negative one is below all of them, as
// the oldest peer's would be.
inline constexpr std::int32_t kVersionRegisterBody = 37;   // 103 carries a RegisterBrokerBody.
inline constexpr std::int32_t kVersionMaxReconsume = 121;  // maxReconsumeTimes counts.
inline constexpr std::int32_t kVersionStandardJson = 401;  // 105 answers with quoted keys.
inline constexpr std::int32_t kVersionMappings = 413;      // Compressed 103 ends with mappings.

// "V5_5_0", "V4_9_0_SNAPSHOT"; negative numbers are called as the oldest version, those of the
// future "HIGHER_VERSION".
std::string ClientVersionName(std::int32_t version);

}  // namespace apogee

#include "protocol/client_version.h"

#include <array>
#include <string_view>

namespace apogee {
namespace {

constexpr std::int32_t kHigher = 612;

// From `first` on: pairs of SNAPSHOT and release, `a.b.c` with c counting up from `patch` to
// `patch_last`, then b up with c starting at `patch` again.
struct Span {
  std::int32_t first;
  std::int32_t major;
  std::int32_t minor;
  std::int32_t patch;
  std::int32_t patch_last;
};
// Before 4.0 some rows begin at patch 1, and 3.0 went on to 3.0.15.
constexpr auto kSpans = std::to_array<Span>({
    {412, 5, 0, 0, 9},
    {212, 4, 0, 0, 9},
    {86, 3, 3, 1, 9},
    {46, 3, 1, 0, 9},
    {16, 3, 0, 1, 15},
});

constexpr auto kEarliest = std::to_array<std::string_view>({
    "V3_0_0_SNAPSHOT",
    "V3_0_0_ALPHA1",
    "V3_0_0_BETA1",
    "V3_0_0_BETA2",
    "V3_0_0_BETA3",
    "V3_0_0_BETA4",
    "V3_0_0_BETA5",
    "V3_0_0_BETA6_SNAPSHOT",
    "V3_0_0_BETA6",
    "V3_0_0_BETA7_SNAPSHOT",
    "V3_0_0_BETA7",
    "V3_0_0_BETA8_SNAPSHOT",
    "V3_0_0_BETA8",
    "V3_0_0_BETA9_SNAPSHOT",
    "V3_0_0_BETA9",
    "V3_0_0_FINAL",
});

}  // namespace

std::string ClientVersionName(std::int32_t version) {
  if (version >= kHigher) return "HIGHER_VERSION";
  if (version < 0) version = 0;
  for (const Span& span : kSpans) {
    if (version < span.first) continue;
    const std::int32_t pair = (version - span.first) / 2;
    const std::int32_t row = span.patch_last - span.patch + 1;
    std::string name = "V" + std::to_string(span.major) + "_" +
                       std::to_string(span.minor + pair / row) + "_" +
                       std::to_string(span.patch + pair % row);
    if ((version - span.first) % 2 == 0) name += "_SNAPSHOT";
    return name;
  }
  return std::string(kEarliest[static_cast<std::size_t>(version)]);
}

}  // namespace apogee

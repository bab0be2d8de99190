#include "message/properties.h"

#include <unordered_map>

#include "base/java_hash.h"

namespace apogee {
namespace {

constexpr std::size_t kPieceBytesMin = 3;

}  // namespace

std::optional<PropertyReader::Pair> PropertyReader::Next() {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find(kValueEnd);
    const std::string_view piece = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    if (piece.size() < kPieceBytesMin) continue;
    const std::size_t name_end = piece.find(kNameEnd);
    if (name_end == std::string_view::npos || name_end == 0 || name_end + 1 == piece.size()) {
      continue;
    }
    return Pair{piece.substr(0, name_end), piece.substr(name_end + 1)};
  }
  return std::nullopt;
}

std::optional<std::string_view> FindProperty(std::string_view encoded, std::string_view name) {
  std::optional<std::string_view> found;
  PropertyReader reader(encoded);
  while (const auto pair = reader.Next()) {
    if (pair->name == name) found = pair->value;
  }
  return found;
}

std::vector<std::pair<std::string, std::string>> DecodeProperties(std::string_view encoded) {
  std::vector<std::pair<std::string, std::string>> pairs;
  // By name, because 32767 bytes of hostile make hold thousands of pairs.
  std::unordered_map<std::string_view, std::size_t> places;
  PropertyReader reader(encoded);
  while (const auto pair = reader.Next()) {
    const auto [place, is_new] = places.emplace(pair->name, pairs.size());
    if (is_new) {
      pairs.emplace_back(pair->name, pair->value);
    } else {
      pairs[place->second].second = pair->value;
    }
  }
  return pairs;
}

void AppendProperty(std::string& encoded, std::string_view name, std::string_view value) {
  if (!encoded.empty() && encoded.back() != kValueEnd) encoded += kValueEnd;
  encoded += name;
  encoded += kNameEnd;
  encoded += value;
  encoded += kValueEnd;
}

std::string WithoutProperty(std::string_view encoded, std::string_view name) {
  std::string kept;
  kept.reserve(encoded.size() + 1);
  while (!encoded.empty()) {
    const std::size_t end = encoded.find(kValueEnd);
    const std::string_view piece = encoded.substr(0, end);
    encoded = end == std::string_view::npos ? std::string_view() : encoded.substr(end + 1);
    const std::size_t name_end = piece.find(kNameEnd);
    if (name_end != std::string_view::npos && piece.substr(0, name_end) == name) continue;
    kept += piece;
    kept += kValueEnd;
  }
  return kept;
}

std::int64_t TagCode(std::string_view encoded_properties) {
  const auto tags = FindProperty(encoded_properties, property::kTags);
  return tags ? JavaStringHash(*tags) : 0;
}

}  // namespace apogee

// Topic attributes: which there are, and how an update's "+key=value" and "-key" change them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace apogee {

using TopicAttributes = std::map<std::string, std::string>;

// Applies `changes` (keys "+name" with a value, "-name") to `current` (nullptr: the topic is being
// created) and returns the result. kInvalidArgument with RocketMQ's texts (remoting reference §2.8,
// code 17).
Result<TopicAttributes> MergeTopicAttributes(const TopicAttributes* current,
                                             const TopicAttributes& changes);

// Reads the text form of code 17, "+a=b,-c", into changes.
Result<TopicAttributes> ParseAttributeChanges(std::string_view text);

}  // namespace apogee

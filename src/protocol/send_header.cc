#include "protocol/send_header.h"

#include <array>
#include <bit>
#include <string>

#include "protocol/field_number.h"
#include "protocol/request_code.h"

namespace apogee {
namespace {

// The long names, at the place of their letter.
constexpr auto kNames = std::to_array<std::string_view>({
    "producerGroup",
    "topic",
    "defaultTopic",
    "defaultTopicQueueNums",
    "queueId",
    "sysFlag",
    "bornTimestamp",
    "flag",
    "properties",
    "reconsumeTimes",
    "unitMode",
    "maxReconsumeTimes",
    "batch",
    "bname",
});
static_assert(kNames.size() == 'n' - 'a' + 1);

bool LongNames(std::int32_t request_code) {
  return request_code == RequestCode::kSendMessage ||
         request_code == RequestCode::kSendReplyMessage;
}

char LetterOf(std::string_view name, bool long_names) {
  if (!long_names) return name.size() == 1 ? name.front() : '\0';
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<char>('a' + static_cast<int>(i));
  }
  return '\0';
}

constexpr unsigned Bit(char letter) {
  return 1U << (letter - 'a');
}
// Apache fails on these when they are missing; on the others it does not.
constexpr unsigned kRequired = Bit('b') | Bit('e') | Bit('f') | Bit('g') | Bit('h');

bool IsTrue(std::string_view text) {
  return text == "true" || text == "TRUE" || text == "True";
}

}  // namespace

Result<SendHeader> SendHeader::FromFields(std::int32_t request_code, const Fields& fields) {
  const bool long_names = LongNames(request_code);
  SendHeader header;
  unsigned seen = 0;
  for (const auto& [name, value] : fields) {
    const char letter = LetterOf(name, long_names);
    if (letter < 'a' || letter > 'n') continue;
    bool good = true;
    switch (letter) {
      case 'a':
        header.producer_group = value;
        break;
      case 'b':
        header.topic = value;
        break;
      case 'c':
        header.default_topic = value;
        break;
      case 'd':
        good = ReadFieldNumber(value, &header.default_topic_queues);
        break;
      case 'e':
        good = ReadFieldNumber(value, &header.queue_id);
        break;
      case 'f':
        good = ReadFieldNumber(value, &header.sys_flag);
        break;
      case 'g':
        good = ReadFieldNumber(value, &header.born_time_ms);
        break;
      case 'h':
        good = ReadFieldNumber(value, &header.flag);
        break;
      case 'i':
        header.properties = value;
        break;
      case 'j':
        good = value.empty() || ReadFieldNumber(value, &header.reconsume_times);
        break;
      case 'k':
        header.unit_mode = IsTrue(value);
        break;
      case 'l':
        good = value.empty() || ReadFieldNumber(value, &header.max_reconsume_times.emplace());
        if (value.empty()) header.max_reconsume_times.reset();
        break;
      case 'm':
        header.batch = IsTrue(value);
        break;
      default:
        header.broker_name = value;
        break;
    }
    if (!good) return BadFieldNumber(kNames[static_cast<std::size_t>(letter - 'a')], value);
    seen |= Bit(letter);
  }
  if (const unsigned missing = kRequired & ~seen; missing != 0) [[unlikely]] {
    return MissingField(kNames[static_cast<std::size_t>(std::countr_zero(missing))]);
  }
  return header;
}

void SendHeader::AddTo(Fields* fields) const {
  fields->AddView("a", producer_group);
  fields->AddView("b", topic);
  fields->AddView("c", default_topic);
  fields->AddInt("d", default_topic_queues);
  fields->AddInt("e", queue_id);
  fields->AddInt("f", sys_flag);
  fields->AddInt("g", born_time_ms);
  fields->AddInt("h", flag);
  fields->AddView("i", properties);
  fields->AddInt("j", reconsume_times);
  fields->AddBool("k", unit_mode);
  if (max_reconsume_times) fields->AddInt("l", *max_reconsume_times);
  fields->AddBool("m", batch);
  if (!broker_name.empty()) fields->AddView("n", broker_name);
}

}  // namespace apogee

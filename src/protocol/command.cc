#include "protocol/command.h"

#include <algorithm>
#include <array>

namespace apogee {
namespace {

constexpr auto kLanguageNames = std::to_array<std::string_view>({
    "JAVA",
    "CPP",
    "DOTNET",
    "PYTHON",
    "DELPHI",
    "ERLANG",
    "RUBY",
    "OTHER",
    "HTTP",
    "GO",
    "PHP",
    "OMS",
    "RUST",
    "NODE_JS",
});
static_assert(kLanguageNames.size() == static_cast<std::size_t>(Language::kNodeJs) + 1);

char ToUpper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
}

}  // namespace

std::string_view LanguageName(Language language) {
  return kLanguageNames[static_cast<std::size_t>(language)];
}

Language LanguageFromName(std::string_view name) {
  for (std::size_t i = 0; i < kLanguageNames.size(); ++i) {
    if (std::ranges::equal(name, kLanguageNames[i],
                           [](char given, char known) { return ToUpper(given) == known; })) {
      return static_cast<Language>(i);
    }
  }
  return Language::kOther;
}

void Command::Clear() {
  code = 0;
  language = Language::kJava;
  version = 0;
  opaque = 0;
  flag = 0;
  remark = {};
  fields.Clear();
  has_fields = false;
  body = {};
  form = HeaderForm::kJson;
}

}  // namespace apogee

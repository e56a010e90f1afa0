// A release does not define NDEBUG, and asserts of toml++ 3.3 and 3.4 fail on plain mistakes, as in
// `a = [}`. Without them the parser goes on and reports each.
#define TOML_ASSERT(condition) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0

#include "CTOML.h"

#define TOML_MAX_NESTED_VALUES RALLY_TOML_NESTED
#include <toml++/toml.h>

#include <cstdio>
#include <string_view>

namespace {

rally_toml_place place(const toml::source_region &region) {
  return {static_cast<long>(region.begin.line), static_cast<long>(region.begin.column)};
}

struct walker {
  void *context;
  void (*visit)(void *, const rally_toml_event *);

  void walk(const toml::key *key, const toml::node &value) const {
    rally_toml_event event{};
    if (key) {
      event.key = key->str().data();
      event.key_count = key->str().size();
    }
    event.place = place(key ? key->source() : value.source());
    if (const auto *text = value.as_string()) {
      event.kind = RALLY_TOML_TEXT;
      event.text = text->get().data();
      event.text_count = text->get().size();
    } else if (const auto *flag = value.as_boolean()) {
      event.kind = RALLY_TOML_FLAG;
      event.flag = flag->get();
    } else if (const auto *list = value.as_array()) {
      event.kind = RALLY_TOML_LIST;
      visit(context, &event);
      for (const auto &element : *list) walk(nullptr, element);
      return end();
    } else if (const auto *table = value.as_table()) {
      event.kind = RALLY_TOML_TABLE;
      visit(context, &event);
      for (const auto &[name, entry] : *table) walk(&name, entry);
      return end();
    } else {
      event.kind = RALLY_TOML_OTHER;
    }
    visit(context, &event);
  }

  void end() const {
    rally_toml_event event{};
    event.kind = RALLY_TOML_END;
    visit(context, &event);
  }
};

/// The line with more dots than a line may have; 0 if there is none.
long line_of_too_many_dots(std::string_view text) {
  long line = 1;
  int dots = 0;
  for (char byte : text) {
    if (byte == '\n') {
      line += 1;
      dots = 0;
    } else if (byte == '.' && ++dots > RALLY_TOML_DOTS) {
      return line;
    }
  }
  return 0;
}

void fill(rally_toml_problem *problem, rally_toml_place place, std::string_view sentence) {
  problem->place = place;
  std::snprintf(problem->sentence, sizeof problem->sentence, "%.*s",
                static_cast<int>(sentence.size()), sentence.data());
}

// Without memory the program ends here, and not in a frame of Swift.
int read(std::string_view text, walker walker, rally_toml_problem *problem) noexcept {
  if (const long line = line_of_too_many_dots(text)) {
    fill(problem, {line, 1}, "the line has too many dots");
    return 0;
  }
  const toml::parse_result result = toml::parse(text);
  if (!result) {
    fill(problem, place(result.error().source()), result.error().description());
    return 0;
  }
  for (const auto &[name, entry] : result.table()) walker.walk(&name, entry);
  return 1;
}

}  // namespace

int rally_toml_read(const char *bytes, size_t count, void *context,
                    void (*visit)(void *, const rally_toml_event *), rally_toml_problem *problem) {
  return read({bytes, count}, {context, visit}, problem);
}

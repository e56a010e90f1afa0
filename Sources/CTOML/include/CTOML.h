#ifndef C_TOML_H
#define C_TOML_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// toml++ (https://marzer.github.io/tomlplusplus/) with a face in C: a text as a sequence of events.

/// What an event says. After the content of a list or a table comes RALLY_TOML_END.
enum {
  RALLY_TOML_TEXT,
  RALLY_TOML_FLAG,
  /// A number or a date.
  RALLY_TOML_OTHER,
  RALLY_TOML_LIST,
  RALLY_TOML_TABLE,
  RALLY_TOML_END
};

/// Lists and tables within each other in one value, and dots on one line: each of a line's keys may be
/// a table in the one before, and deeper ones would overflow the stack.
enum { RALLY_TOML_NESTED = 16, RALLY_TOML_DOTS = 256 };

/// A line and a column, which count from 1; columns count Unicode scalars.
typedef struct {
  long line;
  long column;
} rally_toml_place;

/// Texts are UTF-8 without an end mark, and live as long as the call.
typedef struct {
  long kind;
  /// NULL for an element of a list.
  const char *key;
  size_t key_count;
  /// Of the key; of the value where there is no key.
  rally_toml_place place;
  /// The value of RALLY_TOML_TEXT.
  const char *text;
  size_t text_count;
  /// The value of RALLY_TOML_FLAG.
  int flag;
} rally_toml_event;

/// Why a text is not TOML.
typedef struct {
  rally_toml_place place;
  /// Ends with 0.
  char sentence[256];
} rally_toml_problem;

/// Reads a text in UTF-8. Entries of a table come sorted by their keys.
///
/// Returns 1, or 0 with `problem` filled in; then `visit` was not called.
int rally_toml_read(const char *bytes, size_t count, void *context,
                    void (*visit)(void *context, const rally_toml_event *event),
                    rally_toml_problem *problem);

#ifdef __cplusplus
}
#endif

#endif

#ifndef RALLY_SD_BUS_H
#define RALLY_SD_BUS_H

#include <stddef.h>
#include <stdint.h>

/* The functions of sd-bus(3) that are used, looked up by name. Their signatures are part of
   libsystemd's stable ABI (LIBSYSTEMD_237). */

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;
typedef struct {
  const char *name;
  const char *message;
  int need_free;
} sd_bus_error;
typedef int (*sd_bus_message_handler)(sd_bus_message *, void *, sd_bus_error *);

#define RALLY_SD_BUS_FUNCTIONS(X)                                                                  \
  X(int, sd_bus_new, (sd_bus **))                                                                  \
  X(int, sd_bus_set_address, (sd_bus *, const char *))                                             \
  X(int, sd_bus_set_bus_client, (sd_bus *, int))                                                   \
  X(int, sd_bus_start, (sd_bus *))                                                                 \
  X(sd_bus *, sd_bus_flush_close_unref, (sd_bus *))                                                \
  X(int, sd_bus_process, (sd_bus *, sd_bus_message **))                                            \
  X(int, sd_bus_is_ready, (sd_bus *))                                                              \
  X(int, sd_bus_wait, (sd_bus *, uint64_t))                                                        \
  X(int, sd_bus_get_fd, (sd_bus *))                                                                \
  X(int, sd_bus_get_events, (sd_bus *))                                                            \
  X(int, sd_bus_get_timeout, (sd_bus *, uint64_t *))                                               \
  X(void, sd_bus_close, (sd_bus *))                                                                \
  X(sd_bus *, sd_bus_unref, (sd_bus *))                                                            \
  X(int, sd_bus_add_match_async,                                                                   \
    (sd_bus *, sd_bus_slot **, const char *, sd_bus_message_handler, sd_bus_message_handler,       \
     void *))                                                                                      \
  X(int, sd_bus_call_async,                                                                        \
    (sd_bus *, sd_bus_slot **, sd_bus_message *, sd_bus_message_handler, void *, uint64_t))        \
  X(int, sd_bus_call, (sd_bus *, sd_bus_message *, uint64_t, sd_bus_error *, sd_bus_message **))   \
  X(int, sd_bus_message_new_method_call,                                                           \
    (sd_bus *, sd_bus_message **, const char *, const char *, const char *, const char *))         \
  X(int, sd_bus_message_append_basic, (sd_bus_message *, char, const void *))                      \
  X(int, sd_bus_message_open_container, (sd_bus_message *, char, const char *))                    \
  X(int, sd_bus_message_close_container, (sd_bus_message *))                                       \
  X(int, sd_bus_message_enter_container, (sd_bus_message *, char, const char *))                   \
  X(int, sd_bus_message_exit_container, (sd_bus_message *))                                        \
  X(int, sd_bus_message_set_auto_start, (sd_bus_message *, int))                                   \
  X(int, sd_bus_message_get_errno, (sd_bus_message *))                                             \
  X(int, sd_bus_message_peek_type, (sd_bus_message *, char *, const char **))                      \
  X(int, sd_bus_message_read_basic, (sd_bus_message *, char, void *))                              \
  X(sd_bus_message *, sd_bus_message_unref, (sd_bus_message *))                                    \
  X(void, sd_bus_error_free, (sd_bus_error *))

struct rally_sd_bus {
#define RALLY_FIELD(result, name, arguments) result(*name) arguments;
  RALLY_SD_BUS_FUNCTIONS(RALLY_FIELD)
#undef RALLY_FIELD
};

struct rally_bus {
  const struct rally_sd_bus *sd;
  sd_bus *bus;
};

/* All functions, or NULL if the library or one of them is missing. */
const struct rally_sd_bus *rally_sd_bus(void);

#endif

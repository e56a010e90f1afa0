#include "CSystemdBus.h"
#include "sd_bus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* sd-bus calls back only inside of `rally_bus_dispatch`, on its thread. */
static _Thread_local struct {
  const struct rally_sd_bus *sd;
  rally_bus_handler *handler;
  void *context;
} current;

static int read_value(sd_bus_message *message, char type, struct rally_bus_value *value) {
  union {
    uint8_t y;
    int b, h;
    int16_t n;
    uint16_t q;
    int32_t i;
    uint32_t u;
    int64_t x;
    uint64_t t;
    double d;
    const char *s;
  } raw = {0};
  const int code = current.sd->sd_bus_message_read_basic(message, type, &raw);
  *value = (struct rally_bus_value){.type = type};
  switch (type) {
  case 'y': value->integer = raw.y; break;
  case 'b': value->integer = raw.b; break;
  case 'h': value->integer = raw.h; break;
  case 'n': value->integer = raw.n; break;
  case 'q': value->integer = raw.q; break;
  case 'i': value->integer = raw.i; break;
  case 'u': value->integer = raw.u; break;
  case 'x': value->integer = raw.x; break;
  case 't': value->integer = raw.t > INT64_MAX ? INT64_MAX : (int64_t)raw.t; break;
  case 'd': value->real = raw.d; break;
  default: value->text = raw.s; break;
  }
  return code;
}

/*
 * Hands over the values of a container. D-Bus limits how deep containers are nested.
 *
 * The name says where a value stands: of "a{sv}" it is the key, as "Percentage"; of an array it ends
 * with '/', as "Devices/"; of a structure it has the number of the member, as "Position/0".
 */
static int walk(sd_bus_message *message, uint32_t tag, const char *name, int is_struct) {
  const struct rally_sd_bus *sd = current.sd;
  for (int index = 0;; index++) {
    char type = 0;
    const char *contents = NULL;
    int code = sd->sd_bus_message_peek_type(message, &type, &contents);
    if (code <= 0) return code;
    char inner[256];
    if (is_struct && name[0] != 0)
      snprintf(inner, sizeof inner, "%s/%d", name, index);
    else
      snprintf(inner, sizeof inner, "%s", name);
    if (contents == NULL) {
      struct rally_bus_value value;
      code = read_value(message, type, &value);
      if (code < 0) return code;
      current.handler(current.context, tag, 0, inner, &value);
      continue;
    }
    const size_t length = strlen(inner);
    if (type == 'a' && length > 0 && inner[length - 1] != '/')
      snprintf(inner + length, sizeof inner - length, "/");
    code = sd->sd_bus_message_enter_container(message, type, contents);
    if (code < 0) return code;
    if (type == 'e') {
      struct rally_bus_value key;
      code = read_value(message, contents[0], &key);
      if (code < 0) return code;
      if (key.text != NULL) snprintf(inner + length, sizeof inner - length, "%s", key.text);
    }
    code = walk(message, tag, inner, type == 'r');
    if (code < 0) return code;
    code = sd->sd_bus_message_exit_container(message);
    if (code < 0) return code;
  }
}

static int receive(sd_bus_message *message, void *data, sd_bus_error *error) {
  (void)error;
  const uint32_t tag = (uint32_t)(uintptr_t)data;
  int code = -current.sd->sd_bus_message_get_errno(message);
  /* An error has a text for people as its only argument. */
  const int walked = walk(message, tag, "", 0);
  if (code == 0) code = walked;
  current.handler(current.context, tag, code, "", NULL);
  return 0;
}

/* Without it a match that the bus refuses would close the connection. */
static int ignore(sd_bus_message *message, void *data, sd_bus_error *error) {
  (void)message, (void)data, (void)error;
  return 0;
}

int rally_bus_match(struct rally_bus *bus, uint32_t tag, const char *rule) {
  return bus->sd->sd_bus_add_match_async(bus->bus, NULL, rule, receive, ignore,
                                         (void *)(uintptr_t)tag);
}

static int append(const struct rally_sd_bus *sd, sd_bus_message *call,
                  const struct rally_bus_value *value) {
  const char contents[] = {value->type, 0};
  const int flag = value->integer != 0;
  const uint32_t number = (uint32_t)value->integer;
  const void *argument = value->text;
  switch (value->type) {
  case 'b': argument = &flag; break;
  case 'i':
  case 'u': argument = &number; break;
  case 'x':
  case 't': argument = &value->integer; break;
  case 'd': argument = &value->real; break;
  case 's':
  case 'o': break;
  default: return -EINVAL;
  }
  int code = 0;
  if (value->is_variant) code = sd->sd_bus_message_open_container(call, 'v', contents);
  if (code >= 0) code = sd->sd_bus_message_append_basic(call, value->type, argument);
  if (code >= 0 && value->is_variant) code = sd->sd_bus_message_close_container(call);
  return code;
}

int rally_bus_call(struct rally_bus *bus, uint32_t tag, const char *service, const char *path,
                   const char *interface, const char *member,
                   const struct rally_bus_value *arguments, size_t count, int starts_service,
                   uint64_t patience) {
  const struct rally_sd_bus *sd = bus->sd;
  sd_bus_message *call = NULL;
  int code = sd->sd_bus_message_new_method_call(bus->bus, &call, service, path, interface, member);
  if (code >= 0) code = sd->sd_bus_message_set_auto_start(call, starts_service);
  for (size_t index = 0; code >= 0 && index < count; index++)
    code = append(sd, call, &arguments[index]);
  if (code >= 0)
    code = sd->sd_bus_call_async(bus->bus, NULL, call, receive, (void *)(uintptr_t)tag, patience);
  if (call != NULL) sd->sd_bus_message_unref(call);
  return code < 0 ? code : 0;
}

int rally_bus_dispatch(struct rally_bus *bus, rally_bus_handler *handler, void *context) {
  current.sd = bus->sd;
  current.handler = handler;
  current.context = context;
  int code;
  do code = bus->sd->sd_bus_process(bus->bus, NULL);
  while (code > 0);
  return code;
}

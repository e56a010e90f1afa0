#include "CSystemdBus.h"
#include "sd_bus.h"

#include <stdio.h>
#include <string.h>

/* Desktop Notifications Specification 1.2: https://specifications.freedesktop.org */
#define SERVICE "org.freedesktop.Notifications"
#define PATH "/org/freedesktop/Notifications"

static int new_call(struct rally_bus *bus, const char *member, sd_bus_message **call) {
  /* Discard pending signals about earlier notifications, so that they do not accumulate. */
  while (bus->sd->sd_bus_process(bus->bus, NULL) > 0) {
  }
  return bus->sd->sd_bus_message_new_method_call(bus->bus, call, SERVICE, PATH, SERVICE, member);
}

/* Sends the call, waits for the reply and releases the call. */
static int send_call(struct rally_bus *bus, int code, sd_bus_message *call, sd_bus_message **reply) {
  sd_bus_error error = {NULL, NULL, 0};
  if (code >= 0) code = bus->sd->sd_bus_call(bus->bus, call, RALLY_BUS_PATIENCE, &error, reply);
  bus->sd->sd_bus_error_free(&error);
  if (call != NULL) bus->sd->sd_bus_message_unref(call);
  return code;
}

static int append_hint(const struct rally_sd_bus *sd, sd_bus_message *call, const char *name,
                       char type, const void *value) {
  const char contents[] = {type, 0};
  int code = sd->sd_bus_message_open_container(call, 'e', "sv");
  if (code >= 0) code = sd->sd_bus_message_append_basic(call, 's', name);
  if (code >= 0) code = sd->sd_bus_message_open_container(call, 'v', contents);
  if (code >= 0) code = sd->sd_bus_message_append_basic(call, type, value);
  if (code >= 0) code = sd->sd_bus_message_close_container(call);
  if (code >= 0) code = sd->sd_bus_message_close_container(call);
  return code;
}

int rally_bus_notify(struct rally_bus *bus, const char *application, uint32_t replaces,
                     const char *summary, const char *body, const char *category,
                     uint8_t urgency, uint32_t *id) {
  const struct rally_sd_bus *sd = bus->sd;
  sd_bus_message *call = NULL, *reply = NULL;
  const int32_t by_itself = -1;
  int code = new_call(bus, "Notify", &call);
  if (code >= 0) code = sd->sd_bus_message_append_basic(call, 's', application);
  if (code >= 0) code = sd->sd_bus_message_append_basic(call, 'u', &replaces);
  if (code >= 0) code = sd->sd_bus_message_append_basic(call, 's', "");
  if (code >= 0) code = sd->sd_bus_message_append_basic(call, 's', summary);
  if (code >= 0) code = sd->sd_bus_message_append_basic(call, 's', body);
  if (code >= 0) code = sd->sd_bus_message_open_container(call, 'a', "s");
  if (code >= 0) code = sd->sd_bus_message_close_container(call);
  if (code >= 0) code = sd->sd_bus_message_open_container(call, 'a', "{sv}");
  if (code >= 0) code = append_hint(sd, call, "urgency", 'y', &urgency);
  if (code >= 0) code = append_hint(sd, call, "category", 's', category);
  if (code >= 0) code = sd->sd_bus_message_close_container(call);
  if (code >= 0) code = sd->sd_bus_message_append_basic(call, 'i', &by_itself);
  code = send_call(bus, code, call, &reply);
  if (code >= 0) code = sd->sd_bus_message_read_basic(reply, 'u', id);
  if (reply != NULL) sd->sd_bus_message_unref(reply);
  return code < 0 ? code : 0;
}

int rally_bus_close_notification(struct rally_bus *bus, uint32_t id) {
  sd_bus_message *call = NULL, *reply = NULL;
  int code = new_call(bus, "CloseNotification", &call);
  if (code >= 0) code = bus->sd->sd_bus_message_append_basic(call, 'u', &id);
  code = send_call(bus, code, call, &reply);
  if (reply != NULL) bus->sd->sd_bus_message_unref(reply);
  return code < 0 ? code : 0;
}

int rally_bus_capabilities(struct rally_bus *bus, char *names, size_t size) {
  const struct rally_sd_bus *sd = bus->sd;
  sd_bus_message *call = NULL, *reply = NULL;
  int count = 0;
  size_t used = 0;
  if (size > 0) names[0] = 0;
  int code = new_call(bus, "GetCapabilities", &call);
  code = send_call(bus, code, call, &reply);
  if (code >= 0) code = sd->sd_bus_message_enter_container(reply, 'a', "s");
  while (code >= 0) {
    const char *name = NULL;
    code = sd->sd_bus_message_read_basic(reply, 's', &name);
    if (code <= 0) break;
    int length = snprintf(names + used, size - used, "%s\n", name);
    if (length < 0 || (size_t)length >= size - used) break;
    used += (size_t)length;
    count++;
  }
  if (reply != NULL) sd->sd_bus_message_unref(reply);
  return code < 0 ? code : count;
}

int rally_bus_server_name(struct rally_bus *bus, char *name, size_t size) {
  const struct rally_sd_bus *sd = bus->sd;
  sd_bus_message *call = NULL, *reply = NULL;
  const char *text = NULL;
  int code = new_call(bus, "GetServerInformation", &call);
  code = send_call(bus, code, call, &reply);
  if (code >= 0) code = sd->sd_bus_message_read_basic(reply, 's', &text);
  if (code >= 0 && text != NULL) snprintf(name, size, "%s", text);
  if (reply != NULL) sd->sd_bus_message_unref(reply);
  return code < 0 ? code : 0;
}

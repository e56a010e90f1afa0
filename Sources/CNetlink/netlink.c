#include "CNetlink.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { message_room = 32 * 1024 };

static int open_socket(uint32_t groups, int flags) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | flags, NETLINK_ROUTE);
  if (fd < 0) return -errno;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
  if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
    int failure = errno;
    close(fd);
    return -failure;
  }
  return fd;
}

int rally_netlink_listen(void) {
  uint32_t groups =
      RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE;
  return open_socket(groups, SOCK_NONBLOCK);
}

int rally_netlink_drain(int socket) {
  char heard[8 * 1024];
  int news = 0;
  for (;;) {
    ssize_t size = recv(socket, heard, sizeof heard, MSG_DONTWAIT);
    if (size > 0) {
      news = 1;
    } else if (size < 0 && errno == ENOBUFS) {
      // Messages were dropped; the caller rereads the whole state anyway.
      news = 1;
    } else if (size < 0 && errno == EINTR) {
      continue;
    } else if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return news;
    } else {
      return size < 0 ? -errno : -EPIPE;
    }
  }
}

/// Called for each message of a response; a negative result stops reading.
typedef int (*message_reader)(struct nlmsghdr *message, void *context);

/// Sends one request and calls `reader` for every message of the response.
static int ask(int fd, struct nlmsghdr *request, message_reader reader, void *context) {
  static const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  if (sendto(fd, request, request->nlmsg_len, 0, (const struct sockaddr *)&kernel, sizeof kernel) <
      0)
    return -errno;
  char answer[message_room] __attribute__((aligned(NLMSG_ALIGNTO)));
  for (;;) {
    struct sockaddr_nl sender;
    socklen_t sender_size = sizeof sender;
    ssize_t size = recvfrom(fd, answer, sizeof answer, 0, (struct sockaddr *)&sender, &sender_size);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return -errno;
    if (sender.nl_pid != 0) continue;  // not the kernel
    unsigned int left = (unsigned int)size;
    for (struct nlmsghdr *message = (struct nlmsghdr *)answer; NLMSG_OK(message, left);
         message = NLMSG_NEXT(message, left)) {
      if (message->nlmsg_seq != request->nlmsg_seq) continue;
      if (message->nlmsg_type == NLMSG_DONE) return 0;
      if (message->nlmsg_type == NLMSG_ERROR) {
        struct nlmsgerr *failure = NLMSG_DATA(message);
        return failure->error;
      }
      int result = reader(message, context);
      if (result < 0) return result;
      if (!(message->nlmsg_flags & NLM_F_MULTI)) return 0;
    }
  }
}

struct route_list {
  struct rally_default_route *routes;
  /// The interface index of each route.
  int links[64];
  int count, capacity;
};

static void add_route(
    struct route_list *list, const struct rtmsg *route, uint32_t flags, uint32_t metric, int link) {
  if (list->count >= list->capacity || list->count >= 64 || link <= 0) return;
  list->links[list->count] = link;
  list->routes[list->count++] = (struct rally_default_route){
      .family = route->rtm_family, .route_flags = flags, .metric = metric};
}

static int read_route(struct nlmsghdr *message, void *context) {
  struct rtmsg *route = NLMSG_DATA(message);
  if (message->nlmsg_type != RTM_NEWROUTE || route->rtm_dst_len != 0 ||
      route->rtm_type != RTN_UNICAST || (route->rtm_flags & RTM_F_CLONED) ||
      (route->rtm_family != AF_INET && route->rtm_family != AF_INET6))
    return 0;
  uint32_t table = route->rtm_table, metric = 0;
  int link = 0;
  struct rtattr *hops = NULL;
  unsigned int left = RTM_PAYLOAD(message);
  for (struct rtattr *part = RTM_RTA(route); RTA_OK(part, left); part = RTA_NEXT(part, left)) {
    switch (part->rta_type) {
      case RTA_OIF: memcpy(&link, RTA_DATA(part), sizeof link); break;
      case RTA_PRIORITY: memcpy(&metric, RTA_DATA(part), sizeof metric); break;
      case RTA_TABLE: memcpy(&table, RTA_DATA(part), sizeof table); break;
      case RTA_MULTIPATH: hops = part; break;
    }
  }
  if (table == RT_TABLE_LOCAL) return 0;
  if (!hops) {
    add_route(context, route, route->rtm_flags, metric, link);
    return 0;
  }
  size_t room = RTA_PAYLOAD(hops);
  for (struct rtnexthop *hop = RTA_DATA(hops); room >= sizeof *hop && RTNH_OK(hop, room);) {
    add_route(context, route, hop->rtnh_flags, metric, hop->rtnh_ifindex);
    size_t step = RTNH_ALIGN(hop->rtnh_len);
    if (step > room) break;
    room -= step;
    hop = RTNH_NEXT(hop);
  }
  return 0;
}

static int read_link(struct nlmsghdr *message, void *context) {
  if (message->nlmsg_type != RTM_NEWLINK) return 0;
  struct rally_default_route *route = context;
  struct ifinfomsg *link = NLMSG_DATA(message);
  route->link_flags = link->ifi_flags;
  unsigned int left = IFLA_PAYLOAD(message);
  for (struct rtattr *part = IFLA_RTA(link); RTA_OK(part, left); part = RTA_NEXT(part, left)) {
    if (part->rta_type == IFLA_IFNAME) {
      size_t size = RTA_PAYLOAD(part);
      if (size >= sizeof route->link) size = sizeof route->link - 1;
      memcpy(route->link, RTA_DATA(part), size);
    } else if (part->rta_type == IFLA_OPERSTATE) {
      memcpy(&route->operstate, RTA_DATA(part), sizeof route->operstate);
    }
  }
  return 0;
}

int rally_netlink_default_routes(struct rally_default_route *routes, int capacity) {
  int fd = open_socket(0, 0);
  if (fd < 0) return fd;
  struct timeval patience = {.tv_sec = 1};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);

  struct {
    struct nlmsghdr header;
    struct rtmsg route;
  } routes_request = {
      .header =
          {
              .nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
              .nlmsg_type = RTM_GETROUTE,
              .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
              .nlmsg_seq = 1,
          },
      .route = {.rtm_family = AF_UNSPEC},
  };
  struct route_list list = {.routes = routes, .capacity = capacity};
  int result = ask(fd, &routes_request.header, read_route, &list);

  int kept = 0;
  for (int i = 0; result == 0 && i < list.count; i++) {
    struct {
      struct nlmsghdr header;
      struct ifinfomsg link;
    } link_request = {
        .header =
            {
                .nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)),
                .nlmsg_type = RTM_GETLINK,
                .nlmsg_flags = NLM_F_REQUEST,
                .nlmsg_seq = (uint32_t)(i + 2),
            },
        .link = {.ifi_family = AF_UNSPEC, .ifi_index = list.links[i]},
    };
    struct rally_default_route route = routes[i];
    int found = ask(fd, &link_request.header, read_link, &route);
    if (found == -ENODEV) continue;  // removed between the two requests
    result = found;
    if (found == 0) routes[kept++] = route;
  }
  close(fd);
  return result < 0 ? result : kept;
}

int rally_priority_watch(int descriptor) {
  int watch = epoll_create1(EPOLL_CLOEXEC);
  if (watch < 0) return -errno;
  struct epoll_event interest = {.events = EPOLLPRI};
  if (epoll_ctl(watch, EPOLL_CTL_ADD, descriptor, &interest) < 0) {
    int failure = errno;
    close(watch);
    return -failure;
  }
  return watch;
}

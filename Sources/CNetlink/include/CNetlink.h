#ifndef C_NETLINK_H
#define C_NETLINK_H

#include <stdint.h>

/// A default route and the network interface that it uses.
struct rally_default_route {
  char link[16];
  /// AF_INET or AF_INET6.
  uint8_t family;
  /// IF_OPER_… of linux/if.h: 0 unknown, 2 down, 6 up.
  uint8_t operstate;
  /// IFF_… of linux/if.h.
  uint32_t link_flags;
  /// RTNH_F_… of linux/rtnetlink.h.
  uint32_t route_flags;
  /// Smaller is preferred.
  uint32_t metric;
};

/// Opens a netlink socket that receives changes of links, addresses and routes of both families.
/// Close-on-exec and non-blocking. Returns the descriptor, or a negative errno.
int rally_netlink_listen(void);

/// Discards all pending messages. Returns 1 if there were any (also if the kernel dropped some), 0
/// if none, or a negative errno when the socket is unusable.
int rally_netlink_drain(int socket);

/// Queries the kernel for its default routes and the state of their links; waits at most one second
/// per response. Returns the number written to `routes`, or a negative errno.
int rally_netlink_default_routes(struct rally_default_route *routes, int capacity);

/// Creates an epoll descriptor that is readable while `descriptor` reports POLLPRI, which is how
/// sysfs signals a changed attribute. Returns it, or a negative errno: EPERM for a regular file.
int rally_priority_watch(int descriptor);

#endif

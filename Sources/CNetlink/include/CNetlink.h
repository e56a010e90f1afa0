#ifndef C_NETLINK_H
#define C_NETLINK_H

#include <stdint.h>

/// One way out of this machine: a default route and the link that it leaves by.
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

/// Opens a socket that hears of changes to links, addresses and routes of both families.
/// Close-on-exec and non-blocking. Returns the descriptor, or a negative errno.
int rally_netlink_listen(void);

/// Throws away all that the socket has heard. Returns whether it was anything (1, 0), also when
/// the kernel had to drop messages, or a negative errno when the socket is of no more use.
int rally_netlink_drain(int socket);

/// Asks the kernel for its default routes and the state of their links; waits for at most a
/// second per answer. Returns how many were written to `routes`, or a negative errno.
int rally_netlink_default_routes(struct rally_default_route *routes, int capacity);

/// Makes a descriptor that is readable while `descriptor` has urgent news (POLLPRI), which is how
/// sysfs tells of a changed attribute. Returns it, or a negative errno: EPERM for a plain file.
int rally_priority_watch(int descriptor);

#endif

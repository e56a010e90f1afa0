#ifndef C_NETLINK_H
#define C_NETLINK_H
#endif

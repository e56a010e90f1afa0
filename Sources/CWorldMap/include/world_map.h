#ifndef RALLY_WORLD_MAP_H
#define RALLY_WORLD_MAP_H

#include <stddef.h>

/// The first byte of the packed world, compiled in and never changed. See Scripts/worldmap for its
/// format and sources.
const unsigned char *rally_world_map_bytes(void);

/// How many bytes the packed world has.
size_t rally_world_map_size(void);

#endif

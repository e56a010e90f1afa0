#ifndef RALLY_WORLD_MAP_H
#define RALLY_WORLD_MAP_H

#include <stddef.h>

/// The packed world, compiled in. See Scripts/worldmap for its format and its sources.
extern const unsigned char rally_world_map[];
extern const size_t rally_world_map_size;

#endif

#ifndef RALLY_WORLD_MAP_H
#define RALLY_WORLD_MAP_H

#include <stddef.h>

/// The packed world data, compiled in and read-only. Format and sources: Scripts/worldmap.
const unsigned char *rally_world_map_bytes(void);

/// Size of the packed world in bytes.
size_t rally_world_map_size(void);

/// Street tiles of Monaco as PMTiles, compiled in and read-only: for the demo alone.
///
/// © OpenStreetMap contributors, under the Open Database License. How they were made:
/// Scripts/demo-streets.
const unsigned char *rally_demo_streets_bytes(void);

/// Size of the street tiles in bytes.
size_t rally_demo_streets_size(void);

#endif

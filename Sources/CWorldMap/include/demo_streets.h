#ifndef RALLY_DEMO_STREETS_H
#define RALLY_DEMO_STREETS_H

#include <stddef.h>

/// Street tiles of Monaco as PMTiles, compiled in and read-only: for the demo alone.
///
/// © OpenStreetMap contributors, under the Open Database License. How they were made: Scripts/demo-streets.
const unsigned char *rally_demo_streets_bytes(void);

/// Their size in bytes.
size_t rally_demo_streets_size(void);

#endif

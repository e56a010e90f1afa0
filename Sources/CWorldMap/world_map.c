#include "world_map.h"

// `#embed` is C23; clang accepts it in every mode with a warning.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

static const unsigned char world[] = {
#embed "world.rwm"
};

const unsigned char *rally_world_map_bytes(void) { return world; }

size_t rally_world_map_size(void) { return sizeof world; }

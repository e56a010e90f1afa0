#include "world_map.h"

const unsigned char rally_world_map[] = {0};
const size_t rally_world_map_size = sizeof rally_world_map;

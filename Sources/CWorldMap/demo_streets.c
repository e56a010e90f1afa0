#include "world_map.h"

// `#embed` is C23; clang accepts it in every mode with a warning.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

static const unsigned char monaco[] = {
#embed "monaco.pmtiles"
};

const unsigned char *rally_demo_streets_bytes(void) { return monaco; }

size_t rally_demo_streets_size(void) { return sizeof monaco; }

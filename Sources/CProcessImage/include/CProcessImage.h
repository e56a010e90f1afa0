#ifndef RALLY_PROCESS_IMAGE_H
#define RALLY_PROCESS_IMAGE_H

#include <stddef.h>

/* Unmaps the pages of code and constants that this process has touched so far, the libraries'
   too. They are files' pages that nobody can have written to: the next use maps them again
   from the system's cache. Returns the bytes it went over. */
size_t cpi_release_code_pages(void);

#endif

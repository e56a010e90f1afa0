#ifndef C_QR_CODE_H
#define C_QR_CODE_H

#include <stddef.h>
#include <stdint.h>

/* QR codes (ISO/IEC 18004) by libqrencode.so.4. The library is loaded with dlopen on first use: few
   runs need it, and linking it would slow down every start. */

/* The width of the largest code, in modules. */
#define RALLY_QR_WIDTH 177

/* Encodes bytes in the smallest code with error correction level L (7 %). Writes its modules row by
   row, 1 for dark and 0 for light; `modules` has room for RALLY_QR_WIDTH squared.

   Returns the width in modules, or a negative errno value: -ENOSYS if the library is missing,
   -ERANGE if the bytes are too many for a code, -EINVAL if there are none, -ENOMEM. */
int rally_qr_encode(const uint8_t *bytes, size_t count, uint8_t *modules);

#endif

#ifndef C_SEALING_H
#define C_SEALING_H

#include <stddef.h>
#include <stdint.h>

// AES-256-GCM and HMAC-SHA-256 of the BoringSSL that swift-nio-ssl links. Its symbols are declared
// here, since its headers are no module; a version that renames them does not link.

/// Bytes of a key, of a nonce, of the tag behind a sealed text, and of a digest.
enum {
  RALLY_SEAL_KEY = 32,
  RALLY_SEAL_NONCE = 12,
  RALLY_SEAL_TAG = 16,
  RALLY_SEAL_DIGEST = 32
};

/// Writes count + RALLY_SEAL_TAG bytes to `out`. Returns 1, or 0 when there is no memory.
int rally_seal(const uint8_t *key, const uint8_t *nonce, const uint8_t *more, size_t more_count,
               const uint8_t *in, size_t count, uint8_t *out);

/// Writes count - RALLY_SEAL_TAG bytes to `out`. Returns 0 for what was sealed otherwise, or changed.
int rally_unseal(const uint8_t *key, const uint8_t *nonce, const uint8_t *more, size_t more_count,
                 const uint8_t *in, size_t count, uint8_t *out);

/// Writes RALLY_SEAL_DIGEST bytes to `out`. Returns 1, or 0 when there is no memory.
int rally_digest(const uint8_t *key, const uint8_t *in, size_t count, uint8_t *out);

#endif

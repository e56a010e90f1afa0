#include "CSealing.h"

typedef struct aead aead;
typedef struct aead_context aead_context;
typedef struct digest digest;

const aead *CNIOBoringSSL_EVP_aead_aes_256_gcm(void);
aead_context *CNIOBoringSSL_EVP_AEAD_CTX_new(const aead *kind, const uint8_t *key, size_t count, size_t tag);
void CNIOBoringSSL_EVP_AEAD_CTX_free(aead_context *context);
int CNIOBoringSSL_EVP_AEAD_CTX_seal(const aead_context *context, uint8_t *out, size_t *length, size_t room,
                                    const uint8_t *nonce, size_t nonce_count, const uint8_t *in, size_t count,
                                    const uint8_t *more, size_t more_count);
int CNIOBoringSSL_EVP_AEAD_CTX_open(const aead_context *context, uint8_t *out, size_t *length, size_t room,
                                    const uint8_t *nonce, size_t nonce_count, const uint8_t *in, size_t count,
                                    const uint8_t *more, size_t more_count);
const digest *CNIOBoringSSL_EVP_sha256(void);
uint8_t *CNIOBoringSSL_HMAC(const digest *kind, const void *key, size_t key_count, const uint8_t *in,
                            size_t count, uint8_t *out, unsigned int *length);
void CNIOBoringSSL_ERR_clear_error(void);

typedef int step(const aead_context *, uint8_t *, size_t *, size_t, const uint8_t *, size_t, const uint8_t *,
                 size_t, const uint8_t *, size_t);

static int run(step *step, const uint8_t *key, const uint8_t *nonce, const uint8_t *more, size_t more_count,
               const uint8_t *in, size_t count, uint8_t *out, size_t room) {
  aead_context *context =
      CNIOBoringSSL_EVP_AEAD_CTX_new(CNIOBoringSSL_EVP_aead_aes_256_gcm(), key, RALLY_SEAL_KEY, RALLY_SEAL_TAG);
  size_t length = 0;
  int is_done = context &&
                step(context, out, &length, room, nonce, RALLY_SEAL_NONCE, in, count, more, more_count) &&
                length == room;
  // Else the next handshake of this thread would report it.
  if (!is_done) CNIOBoringSSL_ERR_clear_error();
  CNIOBoringSSL_EVP_AEAD_CTX_free(context);
  return is_done;
}

int rally_seal(const uint8_t *key, const uint8_t *nonce, const uint8_t *more, size_t more_count,
               const uint8_t *in, size_t count, uint8_t *out) {
  return run(CNIOBoringSSL_EVP_AEAD_CTX_seal, key, nonce, more, more_count, in, count, out,
             count + RALLY_SEAL_TAG);
}

int rally_unseal(const uint8_t *key, const uint8_t *nonce, const uint8_t *more, size_t more_count,
                 const uint8_t *in, size_t count, uint8_t *out) {
  if (count < RALLY_SEAL_TAG) return 0;
  return run(CNIOBoringSSL_EVP_AEAD_CTX_open, key, nonce, more, more_count, in, count, out,
             count - RALLY_SEAL_TAG);
}

int rally_digest(const uint8_t *key, const uint8_t *in, size_t count, uint8_t *out) {
  unsigned int length = 0;
  if (CNIOBoringSSL_HMAC(CNIOBoringSSL_EVP_sha256(), key, RALLY_SEAL_KEY, in, count, out, &length) &&
      length == RALLY_SEAL_DIGEST)
    return 1;
  CNIOBoringSSL_ERR_clear_error();
  return 0;
}

#include "CQRCode.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>

/* From qrencode.h, version 4: part of the library's stable ABI. The lowest bit of a module says
   whether it is dark. */
typedef struct {
  int version;
  int width;
  unsigned char *data;
} QRcode;

static QRcode *(*encode)(int size, const unsigned char *data, int version, int level);
static void (*release)(QRcode *code);
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  *(void **)&release = dlsym(library, "QRcode_free");
  if (release != NULL) *(void **)&encode = dlsym(library, "QRcode_encodeData");
}

int rally_qr_encode(const uint8_t *bytes, size_t count, uint8_t *modules) {
  const int smallest = 0, level_l = 0;
  pthread_once(&once, load);
  if (encode == NULL) return -ENOSYS;
  if (count > INT_MAX) return -ERANGE;
  errno = 0;
  QRcode *code = encode((int)count, bytes, smallest, level_l);
  if (code == NULL) return errno != 0 ? -errno : -EINVAL;
  int width = code->width;
  if (width <= 0 || width > RALLY_QR_WIDTH) width = -EINVAL;
  for (int place = 0; place < width * width && width > 0; place++)
    modules[place] = code->data[place] & 1;
  release(code);
  return width;
}

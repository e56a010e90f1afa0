#define _GNU_SOURCE
#include "CProcessImage.h"

#ifdef __linux__
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static int release(struct dl_phdr_info *object, size_t size, void *total) {
  (void)size;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  /* A library with relocations in its code has pages of its own there. */
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type != PT_DYNAMIC) continue;
    for (const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->dlpi_addr + header->p_vaddr);
         entry->d_tag != DT_NULL; entry++) {
      if (entry->d_tag == DT_TEXTREL) return 0;
      if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)) return 0;
    }
  }
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || (header->p_flags & PF_W)) continue;
    uintptr_t start = (object->dlpi_addr + header->p_vaddr + page - 1) & ~(page - 1);
    uintptr_t end = (object->dlpi_addr + header->p_vaddr + header->p_filesz) & ~(page - 1);
    if (start >= end) continue;
    if (madvise((void *)start, end - start, MADV_DONTNEED) == 0) *(size_t *)total += end - start;
  }
  return 0;
}

size_t cpi_release_code_pages(void) {
  size_t total = 0;
  dl_iterate_phdr(release, &total);
  return total;
}
#else
size_t cpi_release_code_pages(void) { return 0; }
#endif

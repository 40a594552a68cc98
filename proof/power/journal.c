/*
 * Keeps a journal of what a process does to the files below JOURNAL_ROOT, for LD_PRELOAD: every write with its bytes, every
 * sync, truncation, creation, renaming and removal, in order. The state after a loss of power is made from it.
 *
 * A record is: kind (1 byte), length of the path (2), offset (8), length of the data (4), path, data; little-endian.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int journal = -1;

#define real(name, type) ((type)dlsym(RTLD_NEXT, name))
typedef ssize_t (*write_type)(int, const void *, size_t);
typedef ssize_t (*pwrite_type)(int, const void *, size_t, off_t);

static const char *root(void) { return getenv("JOURNAL_ROOT"); }

/* The path of a descriptor if it is a file below the root. */
static int path_of(int descriptor, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, 4095);
  if (length < 0 || root() == NULL) return 0;
  path[length] = '\0';
  return strncmp(path, root(), strlen(root())) == 0;
}

static int below_root(const char *path) {
  return path != NULL && root() != NULL && strncmp(path, root(), strlen(root())) == 0;
}

/* Call with `order` held. */
static void note(char kind, const char *path, uint64_t offset, const void *data, uint32_t size) {
  const char *name = getenv("JOURNAL");
  if (name == NULL) return;
  if (journal < 0) journal = real("open", int (*)(const char *, int, mode_t))(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  uint16_t length = (uint16_t)strlen(path);
  char head[15];
  head[0] = kind;
  memcpy(head + 1, &length, 2);
  memcpy(head + 3, &offset, 8);
  memcpy(head + 11, &size, 4);
  struct iovec parts[3] = {{head, sizeof head}, {(void *)path, length}, {(void *)data, size}};
  size_t wanted = sizeof head + length + size;
  if (writev(journal, parts, size == 0 ? 2 : 3) != (ssize_t)wanted) abort();
}

/* The write and its record are one step for other threads, so that the journal has the order of the writes. */
ssize_t write(int descriptor, const void *data, size_t size) {
  char path[4096];
  if (!path_of(descriptor, path)) return real("write", write_type)(descriptor, data, size);
  pthread_mutex_lock(&order);
  int flags = fcntl(descriptor, F_GETFL);
  struct stat state;
  off_t at = flags & O_APPEND ? (fstat(descriptor, &state), state.st_size) : lseek(descriptor, 0, SEEK_CUR);
  ssize_t written = real("write", write_type)(descriptor, data, size);
  if (written > 0) note('w', path, (uint64_t)at, data, (uint32_t)written);
  pthread_mutex_unlock(&order);
  return written;
}

static ssize_t write_at(const char *name, int descriptor, const void *data, size_t size, off_t at) {
  char path[4096];
  if (!path_of(descriptor, path)) return real(name, pwrite_type)(descriptor, data, size, at);
  pthread_mutex_lock(&order);
  ssize_t written = real(name, pwrite_type)(descriptor, data, size, at);
  if (written > 0) note('w', path, (uint64_t)at, data, (uint32_t)written);
  pthread_mutex_unlock(&order);
  return written;
}
ssize_t pwrite(int descriptor, const void *data, size_t size, off_t at) {
  return write_at("pwrite", descriptor, data, size, at);
}
ssize_t pwrite64(int descriptor, const void *data, size_t size, off_t at) {
  return write_at("pwrite64", descriptor, data, size, at);
}

/* Noted after it succeeded: a write during the sync is not covered by it, and is noted before. */
static int sync_of(const char *name, int descriptor) {
  char path[4096];
  if (!path_of(descriptor, path)) return real(name, int (*)(int))(descriptor);
  pthread_mutex_lock(&order);
  int result = real(name, int (*)(int))(descriptor);
  if (result == 0) note('s', path, 0, NULL, 0);
  pthread_mutex_unlock(&order);
  return result;
}
int fsync(int descriptor) { return sync_of("fsync", descriptor); }
int fdatasync(int descriptor) { return sync_of("fdatasync", descriptor); }

static int truncate_at(const char *name, int descriptor, off_t size) {
  char path[4096];
  int is_ours = path_of(descriptor, path);
  pthread_mutex_lock(&order);
  int result = real(name, int (*)(int, off_t))(descriptor, size);
  if (result == 0 && is_ours) note('t', path, (uint64_t)size, NULL, 0);
  pthread_mutex_unlock(&order);
  return result;
}
int ftruncate(int descriptor, off_t size) { return truncate_at("ftruncate", descriptor, size); }
int ftruncate64(int descriptor, off_t size) { return truncate_at("ftruncate64", descriptor, size); }

int unlink(const char *path) {
  pthread_mutex_lock(&order);
  int result = real("unlink", int (*)(const char *))(path);
  if (result == 0 && below_root(path)) note('u', path, 0, NULL, 0);
  pthread_mutex_unlock(&order);
  return result;
}

int rename(const char *from, const char *to) {
  pthread_mutex_lock(&order);
  int result = real("rename", int (*)(const char *, const char *))(from, to);
  if (result == 0 && below_root(from)) note('r', from, 0, to, (uint32_t)strlen(to));
  pthread_mutex_unlock(&order);
  return result;
}

int link(const char *from, const char *to) {
  pthread_mutex_lock(&order);
  int result = real("link", int (*)(const char *, const char *))(from, to);
  if (result == 0 && below_root(from)) note('l', from, 0, to, (uint32_t)strlen(to));
  pthread_mutex_unlock(&order);
  return result;
}

static int open_with(const char *name, const char *path, int flags, mode_t mode) {
  pthread_mutex_lock(&order);
  int was_there = access(path, F_OK) == 0;
  int descriptor = real(name, int (*)(const char *, int, mode_t))(path, flags, mode);
  if (descriptor >= 0 && below_root(path)) {
    if (!was_there) note('c', path, 0, NULL, 0);
    else if (flags & O_TRUNC) note('t', path, 0, NULL, 0);
  }
  pthread_mutex_unlock(&order);
  return descriptor;
}
int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return open_with("open", path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return open_with("open64", path, flags, mode);
}

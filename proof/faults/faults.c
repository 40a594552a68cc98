/*
 * Makes calls fail for files below FAULT_ROOT, for LD_PRELOAD, and moves the clock. While the file FAULT_PLAN is there, its one
 * line says how: the name of the fault, and a number.
 *
 *   EIO n         every write, sync or truncation fails with EIO from the n-th on
 *   ENOSPC n      every write fails with ENOSPC from the n-th on
 *   FULL n        a file that grows fails with ENOSPC once n more bytes are used
 *   EROFS 0       every write and truncation fails with EROFS, as on a file system that became read-only
 *   LIE n         every write is dropped and reported as done from the n-th on: a known bug
 *   CLOCK n       the clock of the day is n seconds off
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define real(name, type) ((type)dlsym(RTLD_NEXT, name))
typedef ssize_t (*write_type)(int, const void *, size_t);
typedef ssize_t (*pwrite_type)(int, const void *, size_t, off_t);

enum effect { NONE, FAIL, DROP };

static long calls = 0;
static long grown = 0;

/* The plan in force; an empty name without one. */
static void read_plan(char name[16], long *number) {
  name[0] = '\0';
  *number = 0;
  const char *file = getenv("FAULT_PLAN");
  if (file == NULL || access(file, F_OK) != 0) return;
  int descriptor = real("open", int (*)(const char *, int, ...))(file, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  char line[64];
  ssize_t length = read(descriptor, line, sizeof line - 1);
  close(descriptor);
  if (length <= 0) return;
  line[length] = '\0';
  sscanf(line, "%15s %ld", name, number);
}

static int is_ours(int descriptor) {
  char link[64], path[4096];
  const char *root = getenv("FAULT_ROOT");
  if (root == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return strncmp(path, root, strlen(root)) == 0;
}

/* What becomes of a call that writes `size` bytes up to `end`; a sync writes nothing, and `end` is -1 then. */
static enum effect effect_on(int descriptor, long size, long end) {
  if (!is_ours(descriptor)) return NONE;
  char name[16];
  long number;
  read_plan(name, &number);
  if (name[0] == '\0' || strcmp(name, "CLOCK") == 0) {
    __atomic_store_n(&calls, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&grown, 0, __ATOMIC_SEQ_CST);
    return NONE;
  }
  int is_sync = end < 0;
  if (strcmp(name, "FULL") == 0) {
    struct stat state;
    if (is_sync || fstat(descriptor, &state) != 0 || end <= state.st_size) return NONE;
    long more = end - state.st_size;
    if (__atomic_add_fetch(&grown, more, __ATOMIC_SEQ_CST) <= number) return NONE;
    __atomic_sub_fetch(&grown, more, __ATOMIC_SEQ_CST);
    errno = ENOSPC;
    return FAIL;
  }
  long call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  if (call < number) return NONE;
  if (strcmp(name, "LIE") == 0) return DROP;
  if (is_sync && strcmp(name, "EIO") != 0) return NONE;
  errno = strcmp(name, "EIO") == 0 ? EIO : strcmp(name, "EROFS") == 0 ? EROFS : ENOSPC;
  return FAIL;
}

static ssize_t write_at(const char *name, int descriptor, const void *data, size_t size, off_t at) {
  switch (effect_on(descriptor, (long)size, (long)(at + (off_t)size))) {
  case FAIL: return -1;
  case DROP: return (ssize_t)size;
  default: return real(name, pwrite_type)(descriptor, data, size, at);
  }
}
ssize_t pwrite(int descriptor, const void *data, size_t size, off_t at) {
  return write_at("pwrite", descriptor, data, size, at);
}
ssize_t pwrite64(int descriptor, const void *data, size_t size, off_t at) {
  return write_at("pwrite64", descriptor, data, size, at);
}
ssize_t write(int descriptor, const void *data, size_t size) {
  if (!is_ours(descriptor)) return real("write", write_type)(descriptor, data, size);
  struct stat state;
  long at = fcntl(descriptor, F_GETFL) & O_APPEND ? (fstat(descriptor, &state), (long)state.st_size)
                                                   : (long)lseek(descriptor, 0, SEEK_CUR);
  switch (effect_on(descriptor, (long)size, at + (long)size)) {
  case FAIL: return -1;
  case DROP: return (ssize_t)size;
  default: return real("write", write_type)(descriptor, data, size);
  }
}

static int sync_of(const char *name, int descriptor) {
  switch (effect_on(descriptor, 0, -1)) {
  case FAIL: return -1;
  case DROP: return 0;
  default: return real(name, int (*)(int))(descriptor);
  }
}
int fsync(int descriptor) { return sync_of("fsync", descriptor); }
int fdatasync(int descriptor) { return sync_of("fdatasync", descriptor); }

static int truncate_at(const char *name, int descriptor, off_t size) {
  switch (effect_on(descriptor, 0, 0)) {
  case FAIL: return -1;
  case DROP: return 0;
  default: return real(name, int (*)(int, off_t))(descriptor, size);
  }
}
int ftruncate(int descriptor, off_t size) { return truncate_at("ftruncate", descriptor, size); }
int ftruncate64(int descriptor, off_t size) { return truncate_at("ftruncate64", descriptor, size); }

static long clock_offset(void) {
  static long offset = 0;
  static long reads = 0;
  /* Programs ask for the time all the time: the plan is read at every 64th. */
  if (__atomic_fetch_add(&reads, 1, __ATOMIC_SEQ_CST) % 64 == 0) {
    char name[16];
    long number;
    read_plan(name, &number);
    offset = strcmp(name, "CLOCK") == 0 ? number : 0;
  }
  return offset;
}
int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = real("clock_gettime", int (*)(clockid_t, struct timespec *))(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += clock_offset();
  return result;
}
int gettimeofday(struct timeval *time, void *zone) {
  int result = real("gettimeofday", int (*)(struct timeval *, void *))(time, zone);
  if (result == 0) time->tv_sec += clock_offset();
  return result;
}

/*
 * Preloaded into a process, this makes every sync of a database file fail with EIO while the file $SYNC_FAILS exists, as
 * a disk that lost a page does; of one file alone where $SYNC_FAILS_OF names it. Each such sync appends a line with the
 * file's name to $SYNC_FAILS.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(int descriptor) {
  const char *flag = getenv("SYNC_FAILS");
  if (flag == NULL || access(flag, F_OK) != 0) return 0;
  char link[64], target[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, target, sizeof target - 2);
  if (length < 0) return 0;
  target[length] = '\0';
  const char *name = strrchr(target, '/');
  name = name == NULL ? target : name + 1;
  const char *only = getenv("SYNC_FAILS_OF");
  if (only != NULL ? strcmp(name, only) != 0 : strstr(name, ".db") == NULL) return 0;
  char line[4096];
  int size = snprintf(line, sizeof line, "%s\n", name);
  int log = open(flag, O_WRONLY | O_APPEND);
  if (log >= 0) {
    if (write(log, line, (size_t)size) < 0) { /* the test sees fewer lines */ }
    close(log);
  }
  errno = EIO;
  return 1;
}

typedef int (*sync_function)(int);

int fsync(int descriptor) {
  if (fails(descriptor)) return -1;
  return ((sync_function)dlsym(RTLD_NEXT, "fsync"))(descriptor);
}

int fdatasync(int descriptor) {
  if (fails(descriptor)) return -1;
  return ((sync_function)dlsym(RTLD_NEXT, "fdatasync"))(descriptor);
}

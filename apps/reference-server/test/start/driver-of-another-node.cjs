// Preloaded by a server: the binary of its SQLite driver is one that this Node cannot load.
const { dlopen } = process
process.dlopen = (target, file, ...flags) =>
  dlopen(target, file.endsWith('better_sqlite3.node') ? module.filename : file, ...flags)

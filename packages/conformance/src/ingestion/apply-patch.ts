import type { Change } from './ingestion-case.js'

/** Returns a changed copy. Paths of the cases lead through members and array positions that are there. */
export function applyPatch(base: unknown, patch: readonly Change[]): Record<string, unknown> {
  const changed = structuredClone(base) as Record<string, unknown>
  for (const change of patch) {
    const names = change.path
      .split('/')
      .slice(1)
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = names.pop() ?? ''
    let parent: Record<string, unknown> | unknown[] = changed
    for (const name of names) parent = parent[name] as Record<string, unknown>
    if (Array.isArray(parent)) {
      const position = last === '-' ? parent.length : Number(last)
      if (change.op === 'add') parent.splice(position, 0, change.value)
      else parent.splice(position, 1)
    } else if (change.op === 'add') {
      // A member with the name __proto__ must become a member.
      Object.defineProperty(parent, last, { value: change.value, enumerable: true, writable: true, configurable: true })
    } else Reflect.deleteProperty(parent, last)
  }
  return changed
}

/** Sets an own member of any name. Assignment to `__proto__` would change the prototype instead. */
export function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
  } else object[name] = value
}

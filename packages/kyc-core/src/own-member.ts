/** Sets an own member, whatever its name: `__proto__` set like any other would become the prototype. */
export function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
  } else object[name] = value
}

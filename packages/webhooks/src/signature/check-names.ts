/** @throws TypeError for a name that is none of `known`: a misspelt option would have no effect */
export function checkNames(options: object, known: readonly string[], parent = ''): void {
  for (const name of Object.keys(options))
    if (!known.includes(name)) throw new TypeError(`The option ${parent}${name} does not exist.`)
}

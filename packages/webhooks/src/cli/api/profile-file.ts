import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { UsageError, type Terminal } from '../command.js'

/** Where the service is, and the API key for it. */
export interface Profile {
  readonly url: string
  readonly apiKey: string
}

/** The folder of the profiles (XDG Base Directory Specification). */
function profileFolder(env: Terminal['env']): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'kyc-relay', 'profiles')
}

function pathOf(name: string, env: Terminal['env']): string {
  if (!/^[\w-]{1,64}$/.test(name)) throw new UsageError('The name of a profile has letters, digits, - and _.')
  return join(profileFolder(env), `${name}.json`)
}

/** Creates the file of a profile, which only its owner can read. */
export async function writeProfile(name: string, profile: Profile, env: Terminal['env']): Promise<string> {
  const path = pathOf(name, env)
  await mkdir(profileFolder(env), { recursive: true, mode: 0o700 })
  // Exclusive: a file that somebody else put there could be readable, or a link.
  const file = await open(path, 'wx', 0o600).catch(() => {
    throw new UsageError(`Cannot create ${path}. If the profile exists, remove it first.`)
  })
  try {
    await file.writeFile(JSON.stringify(profile))
  } finally {
    await file.close()
  }
  return path
}

/** Reads a profile. A file that others can read, or that is another user's, is refused. */
export async function readProfile(name: string, env: Terminal['env']): Promise<Profile> {
  const path = pathOf(name, env)
  const file = await open(path, 'r').catch((error: unknown) => {
    throw isAbsent(error)
      ? new UsageError(`There is no profile ${name}. kyc-webhooks profile add ${name} makes it.`)
      : new UsageError(`Cannot read ${path}: ${codeOf(error)}.`)
  })
  try {
    const { mode, uid } = await file.stat()
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new UsageError(`Others can read ${path}. Run chmod 600 on it, and rotate the API key.`)
    }
    // Its owner could read it, and name an address that takes the key.
    if (process.getuid !== undefined && uid !== process.getuid()) {
      throw new UsageError(`${path} belongs to another user. Make a profile of your own.`)
    }
    return parseProfile(await file.readFile('utf8'), path)
  } finally {
    await file.close()
  }
}

function parseProfile(text: string, path: string): Profile {
  try {
    const { url, apiKey } = JSON.parse(text) as Partial<Profile>
    if (typeof url === 'string' && URL.canParse(url) && typeof apiKey === 'string' && apiKey !== '') {
      return { url, apiKey }
    }
  } catch {
    // The text could hold the key.
  }
  throw new UsageError(`${path} is not a profile. Remove it and make it again.`)
}

/** Removes a profile; false if there is none. */
export async function removeProfile(name: string, env: Terminal['env']): Promise<boolean> {
  const path = pathOf(name, env)
  return rm(path).then(
    () => true,
    (error: unknown) => {
      if (isAbsent(error)) return false
      throw new UsageError(`Cannot remove ${path}: ${codeOf(error)}.`)
    },
  )
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code)

const isAbsent = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/** Lists the names of the profiles. */
export async function listProfiles(env: Terminal['env']): Promise<readonly string[]> {
  const names = await readdir(profileFolder(env)).catch(() => [])
  return names.flatMap((name) => /^([\w-]{1,64})\.json$/.exec(name)?.[1] ?? []).sort()
}

import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { sha256 } from '../sha256.js'

/**
 * Rights of operators: `read` lists and looks up what is stored without personal data, `evidence` opens the sealed
 * record of a verification, `reveal` opens a value of the vault, `correct` changes a KYC status or a photo URL, `erase`
 * ends what is held about a user, `keys` gives apps access.
 */
export const operatorRights = ['read', 'evidence', 'reveal', 'correct', 'erase', 'keys'] as const

/** One of {@link operatorRights}. */
export type OperatorRight = (typeof operatorRights)[number]

/** A person who operates the service, with the SHA-256 of the person's token in lower-case hexadecimal. */
export interface Operator {
  readonly name: string
  readonly tokenHash: string
  readonly rights: readonly OperatorRight[]
}

/**
 * Who calls the internal API. A service has the shared `INTERNAL_TOKEN` and all rights; whom it names as actor is only
 * claimed.
 */
export type InternalCaller =
  | { readonly kind: 'service' }
  | { readonly kind: 'operator'; readonly name: string; readonly rights: readonly OperatorRight[] }

const operator = z.strictObject({
  // The same characters as in the audit log, without the colon that separates the kind of actor.
  name: z
    .string()
    .trim()
    .max(100)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}:]+$/u),
  tokenHash: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/)
    .toLowerCase(),
  rights: z.array(z.enum(operatorRights)),
})

const operatorsFile = z.array(operator)

/**
 * Reads the operators of a file: a JSON array of `{name, tokenHash, rights}`. Returns the problem as a text that holds
 * no value.
 */
export function parseOperators(text: string): readonly Operator[] | { readonly problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'it is not JSON.' }
  }
  const parsed = operatorsFile.safeParse(value)
  if (!parsed.success) {
    const [index, member] = parsed.error.issues[0]?.path ?? []
    if (typeof index !== 'number') return { problem: 'it is not a JSON array of operators.' }
    const place = typeof member === 'string' ? ` at ${member}` : ''
    return {
      problem: `operator ${index + 1} is malformed${place}. Each has a name without a colon, tokenHash (64 hexadecimal digits) and rights (${operatorRights.join(', ')}).`,
    }
  }
  for (const member of ['name', 'tokenHash'] as const) {
    const isRepeated = new Set(parsed.data.map((one) => one[member])).size < parsed.data.length
    if (isRepeated) return { problem: `two operators have the same ${member}.` }
  }
  return parsed.data
}

/** Prefix of the tokens that {@link createOperatorToken} makes. */
export const operatorTokenPrefix = 'kyc_op_'

/** Makes a random token of 256 bits, and its hash for the file of operators. */
export function createOperatorToken(): { readonly token: string; readonly tokenHash: string } {
  const token = `${operatorTokenPrefix}${randomBytes(32).toString('base64url')}`
  return { token, tokenHash: operatorTokenHash(token) }
}

/** Finds the operator of a token; null for an unknown token. Only hashes are compared, so timing reveals no token. */
export function createOperatorLookup(operators: readonly Operator[]): (token: string) => Operator | null {
  const byHash = new Map(operators.map((one) => [one.tokenHash, one]))
  return (token) => byHash.get(operatorTokenHash(token)) ?? null
}

/** Returns the SHA-256 of an operator's token in lower-case hexadecimal. */
export function operatorTokenHash(token: string): string {
  return sha256(token).toString('hex')
}

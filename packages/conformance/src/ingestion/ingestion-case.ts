import { readCases } from '../case-files.js'

/** One change of the base submission (RFC 6902). */
export type Change =
  | { readonly op: 'add'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

/** A submission and its verdict. */
export interface IngestionCase {
  /** Stable, `IN-…`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  /** Changes of `base`. */
  readonly patch: readonly Change[]
  /** None: it is accepted. */
  readonly violations: readonly { readonly pointer: string; readonly code: string }[]
}

const file = readCases('ingestion') as {
  readonly base: Readonly<Record<string, unknown>>
  readonly cases: readonly IngestionCase[]
}

/** The submission that every case changes. */
export const baseSubmission: Readonly<Record<string, unknown>> = file.base

/** The cases for an endpoint that takes submissions; the same as `cases/ingestion.json`. */
export const ingestionCases: readonly IngestionCase[] = file.cases

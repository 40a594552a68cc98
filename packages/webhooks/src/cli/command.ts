/** A mistake of the person at the keyboard: shown as one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What a command may touch: everything of the process, so that tests can stand in for it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: AsyncIterable<Uint8Array>
  /** Results, for people or (`--json`) for scripts. */
  readonly out: (text: string) => void
  /** Remarks and errors. */
  readonly err: (text: string) => void
  readonly colours: boolean
  /** Ends `listen`. */
  readonly stopped: AbortSignal
  readonly now: () => Date
}

/** One subcommand. */
export interface Command {
  /** One line for the list of commands. */
  readonly summary: string
  readonly help: string
  /** @returns the exit code: 0 done, 1 refused or failed. */
  run(args: readonly string[], terminal: Terminal): Promise<number>
}

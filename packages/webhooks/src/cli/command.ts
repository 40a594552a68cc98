/** A mistake in the command line: printed as one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The parts of the process that a command uses. Tests replace them. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: AsyncIterable<Uint8Array>
  /** Prints results, for people or (`--json`) for scripts. */
  readonly out: (text: string) => void
  /** Prints remarks and errors. */
  readonly err: (text: string) => void
  readonly colours: boolean
  /** Aborts when the process should stop; ends `listen`. */
  readonly stopped: AbortSignal
  readonly now: () => Date
}

/** One subcommand. */
export interface Command {
  /** Description in the list of commands, one line. */
  readonly summary: string
  readonly help: string
  /** @returns the exit code: 0 done, 1 refused or failed. */
  run(args: readonly string[], terminal: Terminal): Promise<number>
}

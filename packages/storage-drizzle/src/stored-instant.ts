/** An instant as SQLite (milliseconds) or PostgreSQL selects it. */
export type StoredInstant = number | Date

export const dateOrNull = (instant: StoredInstant | null): Date | null => (instant === null ? null : new Date(instant))

/**
 * The database is locked, full, unreadable or gone. Answered with 503; nothing was changed, unless
 * the answer of a commit was lost, or the disk has not taken it.
 */
export class DatabaseUnavailable extends Error {
  /** Another writer holds the lock: the same statement may succeed a moment later. */
  readonly isBusy: boolean

  constructor(
    reason: string,
    { cause, isBusy = false }: { cause?: unknown; isBusy?: boolean } = {},
  ) {
    super(reason, { cause })
    this.name = 'DatabaseUnavailable'
    this.isBusy = isBusy
  }
}

/** The database answers, and takes no changes: it is a standby, or its disk is read-only. */
export class DatabaseReadOnly extends DatabaseUnavailable {
  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(reason, options)
    this.name = 'DatabaseReadOnly'
  }
}

/** A page or an index of the database cannot be read. Only a restore recovers its content. */
export class DatabaseDamaged extends DatabaseUnavailable {
  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(reason, options)
    this.name = 'DatabaseDamaged'
  }
}

/** The damage that an error or one of its causes reports; null if there is none. */
export function damageIn(error: unknown): DatabaseDamaged | null {
  if (error instanceof DatabaseDamaged) return error
  return error instanceof Error && error.cause !== undefined ? damageIn(error.cause) : null
}

/**
 * A file of the SQLite database is gone, or another file is at its path. What this process writes
 * into the file that it has open is lost, so nothing is written any more.
 */
export class DatabaseReplaced extends DatabaseUnavailable {
  constructor(path: string) {
    super(`${path} is not the file any more that this process has opened`)
    this.name = 'DatabaseReplaced'
  }
}

/**
 * What was to go with a commit has failed, although the database answers: it refused a value, for
 * example. Nothing was changed.
 */
export class CommitRefused extends DatabaseUnavailable {
  constructor(reason: string, options: { cause: unknown }) {
    super(reason, options)
    this.name = 'CommitRefused'
  }
}

/** The database ended this transaction in favour of another one: a new attempt may succeed. */
export class TransactionConflict extends DatabaseUnavailable {
  constructor(options: { cause: unknown }) {
    super('another transaction was in the way', options)
    this.name = 'TransactionConflict'
  }
}

/** An insert or update violates a unique index. */
export class UniqueViolation extends Error {
  constructor(options: { cause: unknown }) {
    super('unique violation', options)
    this.name = 'UniqueViolation'
  }
}

/**
 * Locked, full, unreadable or gone; 503. Nothing was changed, unless a commit's answer was lost or
 * the disk has not written the commit.
 */
export class DatabaseUnavailable extends Error {
  /** Another writer holds the lock: a retry may succeed. */
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

/** A standby or a read-only disk. */
export class DatabaseReadOnly extends DatabaseUnavailable {
  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(reason, options)
    this.name = 'DatabaseReadOnly'
  }
}

/** An unreadable page or index. Only a restore helps. */
export class DatabaseDamaged extends DatabaseUnavailable {
  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(reason, options)
    this.name = 'DatabaseDamaged'
  }
}

/** Searches the causes too. */
export function damageIn(error: unknown): DatabaseDamaged | null {
  if (error instanceof DatabaseDamaged) return error
  return error instanceof Error && error.cause !== undefined ? damageIn(error.cause) : null
}

/** A SQLite file was deleted or replaced. Writes would be lost, so writing stops. */
export class DatabaseReplaced extends DatabaseUnavailable {
  constructor(path: string) {
    super(`${path} is not the file any more that this process has opened`)
    this.name = 'DatabaseReplaced'
  }
}

/** Work before the commit failed, for example a rejected value. Nothing was changed. */
export class CommitRefused extends DatabaseUnavailable {
  constructor(reason: string, options: { cause: unknown }) {
    super(reason, options)
    this.name = 'CommitRefused'
  }
}

/** Ended in favour of another transaction: retry. */
export class TransactionConflict extends DatabaseUnavailable {
  constructor(options: { cause: unknown }) {
    super('another transaction was in the way', options)
    this.name = 'TransactionConflict'
  }
}

export class UniqueViolation extends Error {
  constructor(options: { cause: unknown }) {
    super('unique violation', options)
    this.name = 'UniqueViolation'
  }
}

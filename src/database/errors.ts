/** The database cannot serve now: locked, full, unreadable, gone. Answered 503; nothing was changed. */
export class DatabaseUnavailable extends Error {
  /** Another writer held the lock: the same statement may succeed a moment later. */
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

/** Two transactions waited for each other, and this one was ended: begun anew it may succeed. */
export class TransactionConflict extends DatabaseUnavailable {
  constructor(options: { cause: unknown }) {
    super('another transaction was in the way', options)
    this.name = 'TransactionConflict'
  }
}

/** An insert or update met a unique index that holds the value already. */
export class UniqueViolation extends Error {
  constructor(options: { cause: unknown }) {
    super('unique violation', options)
    this.name = 'UniqueViolation'
  }
}

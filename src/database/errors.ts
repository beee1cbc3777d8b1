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

/** An insert or update met a unique index that holds the value already. */
export class UniqueViolation extends Error {
  constructor(options: { cause: unknown }) {
    super('unique violation', options)
    this.name = 'UniqueViolation'
  }
}

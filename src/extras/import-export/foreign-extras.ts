/** What the export of another product has, and no field of a line. */
export interface ForeignExtras {
  /** The permanent id of the other product. */
  readonly id: string
  readonly emailVerified: boolean
  /** Base32: six digits each 30 seconds, SHA-1. */
  readonly totp: string | undefined
}

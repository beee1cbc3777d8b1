import type { Account } from './account.ts'
import type { Amr } from './evidence.ts'

/** The fields of an account that the requirements read. */
export type Judged = Pick<
  Account,
  'active' | 'locked' | 'lockedUntil' | 'mustChange' | 'roles' | 'secondFactor'
> & { readonly userId?: number; readonly deletionAt?: number | null }

/** The fields that show whether an account has changed. */
export interface Version {
  readonly refreshVersion: number
  /** Absent if the method does not use a password; null if the account has none. */
  readonly passwordHash?: string | null
}

export interface Facts {
  readonly account: Judged
  readonly amr?: readonly Amr[]
  /** The account as it is now and as it was, for the stages that ask whether it is unchanged. */
  readonly since?: { readonly now: Version; readonly before: Version }
}

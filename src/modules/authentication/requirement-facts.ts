import type { Account } from './account.ts'

export type Judged = Pick<
  Account,
  'active' | 'locked' | 'lockedUntil' | 'mustChange' | 'roles' | 'secondFactor'
> & { readonly userId?: number; readonly deletionAt?: number | null; readonly isService?: boolean }

/** Shows whether an account has changed. */
export interface Version {
  readonly refreshVersion: number
  /** Absent if the method uses no password. */
  readonly passwordHash?: string | null
}

export interface Facts {
  readonly account: Judged
  readonly amr?: readonly string[]
  /** In place of the second factor, except for roles that must have one. */
  readonly isRemembered?: boolean
  /** For stages that check whether the account is unchanged. */
  readonly since?: { readonly now: Version; readonly before: Version }
}

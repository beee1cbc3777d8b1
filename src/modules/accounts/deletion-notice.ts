import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Account } from '../authentication/account.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    deletionNotice: DeletionNotice
  }
}

/** Sends the owner the link that cancels the deletion. */
export interface DeletionNotice {
  reaches(account: Account): boolean
  /** @throws ApiError serviceUnavailable if mail cannot be sent soon */
  assertSends(): Promise<void>
  /** Returns the time of erasure. */
  requested(trx: DatabaseOrTransaction, account: Account): Promise<number>
  /** For an immediate erasure. */
  erased(trx: DatabaseOrTransaction, account: Account): Promise<void>
}

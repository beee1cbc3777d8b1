import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Account } from '../authentication/account.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    deletionNotice: DeletionNotice
  }
}

/** Informs the owner of a deletion, and sends the link that cancels the deletion. */
export interface DeletionNotice {
  /** Whether a notice can reach the owner. */
  reaches(account: Account): boolean
  /** @throws ApiError serviceUnavailable if the notice could not be sent soon */
  assertSends(): Promise<void>
  /** In the transaction of the request; answers when the account is erased. */
  requested(trx: DatabaseOrTransaction, account: Account): Promise<number>
  /** In the transaction of an erasure at once. */
  erased(trx: DatabaseOrTransaction, account: Account): Promise<void>
}

import type { JsonSchema } from '../../core/http/schemas.ts'
import type { Account } from '../authentication/account.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    accountDetail: AccountDetail
  }
}

/** A field of the account details that another module adds. */
export interface AccountDetail {
  readonly name: string
  readonly schema: JsonSchema
  readonly example: unknown
  /** @throws ApiError accountNotFound */
  read(account: Account): Promise<unknown>
}

import type { JsonSchema } from '../../core/http/schemas.ts'
import type { Account } from '../authentication/account.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    accountDetail: AccountDetail
  }
}

/** A field of the details of an account, of what another feature stores. */
export interface AccountDetail {
  readonly name: string
  readonly schema: JsonSchema
  readonly example: unknown
  /** @throws ApiError accountNotFound if the account no longer exists */
  read(account: Account): Promise<unknown>
}
